"""Tracking by listing every way that an agent may have gone: slow, and plain.

Written apart from the tracker of capture the flag; a maze is a list of neighbours by cell.
"""

import math


def motion(neighbours, visits, beta, stays, cell):
    """The probability of each next cell."""
    targets = list(neighbours[cell]) + ([cell] if stays or not neighbours[cell] else [])
    lowest = min(visits[target] for target in targets)
    weights = [math.exp(-beta * (visits[target] - lowest)) for target in targets]
    return {target: weight / sum(weights) for target, weight in zip(targets, weights, strict=True)}


def agrees(places, observation, noise, sight, cell):
    """Whether what was observed can be, were the agent on a cell."""
    if observation.seen >= 0:
        return cell == observation.seen
    for number, watcher in enumerate(observation.watchers):
        away = sum(abs(a - b) for a, b in zip(places[cell], places[watcher], strict=True))
        if sight >= 0 and away <= sight:
            return False
        if noise >= 0 and observation.noisy and abs(away - observation.noisy[number]) > noise:
            return False
    return True


def track(neighbours, places, start, observations, beta, stays, noise, sight):
    """The filtered beliefs, and the beliefs of all times given everything, by cell.

    Every way is kept with its probability; an agent that is sent home has its ways before apart.
    """
    count = len(neighbours)
    ways = {(start,): 1.0}
    visits = [float(cell == start) for cell in range(count)]
    filtered = []
    for observation in observations:
        longer = {}
        for way, probability in ways.items():
            if observation.home:
                steps = {start: 1.0}
            elif observation.moved:
                steps = motion(neighbours, visits, beta, stays, way[-1])
            else:
                steps = {way[-1]: 1.0}
            for cell, share in steps.items():
                if agrees(places, observation, noise, sight, cell):
                    longer[(*way, cell)] = probability * share
        total = sum(longer.values())
        ways = {way: probability / total for way, probability in longer.items()}
        filtered.append(marginal(ways, -1, count))
        if observation.moved or observation.home:
            visits = [number + share for number, share in zip(visits, filtered[-1], strict=True)]
    return filtered, [marginal(ways, time + 1, count) for time in range(len(observations))]


def marginal(ways, time, count):
    """The probability of each cell at one time."""
    shares = [0.0] * count
    for way, probability in ways.items():
        shares[way[time]] += probability
    return shares
