"""Cat and mouse: rules, boards, players, tables, exact play, drawing."""
