"""Games that people play and watch: against a player, move by move, recorded, and with advice."""
