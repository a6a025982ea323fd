"""Dots and boxes: networks built by hand that complete boxes and refuse third sides."""
