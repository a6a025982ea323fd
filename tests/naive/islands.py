"""Migration as the documentation tells it, individual by individual, for tests alone."""


def best_first(fitness):
    """Rows from the best to the worst; of equals the lower row is the better."""
    return sorted(range(len(fitness)), key=lambda row: (-fitness[row], row))


def worst_first(fitness):
    """Rows from the worst to the best; of equals the lower row is the worse."""
    return sorted(range(len(fitness)), key=lambda row: (fitness[row], row))


def arrivals(ways, fitness, ids, migrants):
    """Who comes to each island when the best go and take the places of the worst.

    Args:
        ways: (from, to), in any order.
        fitness: of each island's individuals, lists.
        ids: of the same.
        migrants: sent along each way.

    Returns:
        For each island a list of (row, id, share of those at home that are better).
    """
    coming = []
    for island in range(len(fitness)):
        guests = []
        for source in range(len(fitness)):
            if (source, island) in ways:
                order = best_first(fitness[source])
                for place, row in enumerate(order[:migrants]):
                    guests.append((ids[source][row], place / len(order)))
        places = worst_first(fitness[island])
        coming.append([(places[number], *guest) for number, guest in enumerate(guests)])
    return coming


def as_fit_as(fitness, standing):
    """The fitness of the individual of that standing."""
    return fitness[best_first(fitness)[int(standing * len(fitness))]]
