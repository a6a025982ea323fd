"""How strong individuals of a run are: games against opponents, exact play, diagnosis."""
