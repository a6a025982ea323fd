"""The second study of cat and mouse: a cat of windows learns in two stages."""
