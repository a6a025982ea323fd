"""Fox and hounds: tables of values learn from each other, beside evolved players."""
