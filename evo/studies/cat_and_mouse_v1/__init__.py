"""The first study of cat and mouse, to the byte as published."""
