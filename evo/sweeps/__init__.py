"""Many runs from one experiment file."""
