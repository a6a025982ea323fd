"""A cat that catches every mouse, a mouse that no cat catches: learned by games, proved."""
