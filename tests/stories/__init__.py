"""Stories of users, who get from their files to answers in few lines."""
