// Starts the table of examples from the data of the page.

openPage((columns) => new Page(new Examples(columns)));
