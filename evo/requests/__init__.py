"""Request records: one dataclass per command and Python function, with all its options."""
