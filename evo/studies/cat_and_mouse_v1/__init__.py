"""Two policy tables climb in turn, the loser learns: 100,000 iterations on 8x7."""
