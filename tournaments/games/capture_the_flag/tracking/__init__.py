"""Where a hidden agent may stand in a maze: exact filtering over its squares."""
