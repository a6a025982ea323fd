"""Teams of capture the flag as the package ``pelita`` plays them."""
