"""What crashes and refusals of the system cost; see ``__main__``."""
