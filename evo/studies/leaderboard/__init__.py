"""Which schemes and learners make the strongest networks of dots and boxes."""
