"""What is asked for: one record for each call of Python and each command, declared once."""
