"""Section 3.6 of the study of 1998: networks built by hand."""
