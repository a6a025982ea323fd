"""The generation loop: starting, resuming and checkpointing runs."""
