"""Reports: the result of every task, in all forms of output.

::

    report.py       named scores, facts, warnings and tables
    once.py         attributes made on first access
    groups.py       scores and counts of one group
    printed.py      text, Markdown, LaTeX, CSV, HTML and JSON of a result
    grid.py         tables of named rows
    escapes.py      text from data kept as text, never markup
    pictures.py     pictures by matplotlib; charts.py bars and matrices
    page/           one HTML file for the browser
"""
