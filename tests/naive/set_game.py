"""Set by cards as tuples of features, slowly: written apart from the rules that it checks."""

from __future__ import annotations

from itertools import combinations, product

Card = tuple[int, ...]


def deck_of(dimensions: int) -> list[Card]:
    """All cards, in the order of their features."""
    return list(product(range(3), repeat=dimensions))


def is_set(cards: tuple[Card, ...]) -> bool:
    """Whether three cards are all alike or all different in each dimension."""
    return all(len(set(features)) in (1, 3) for features in zip(*cards, strict=True))


def sets_among(cards: list[Card]) -> list[tuple[Card, ...]]:
    """Every set among some cards, each of its cards in order."""
    return [three for three in combinations(sorted(cards), 3) if is_set(three)]


class SetGame:
    """A position; what is drawn is told to it."""

    def __init__(self, table: list[Card], cards: int, dimensions: int) -> None:
        self.usual = cards
        self.table = sorted(table)
        self.deck = [card for card in deck_of(dimensions) if card not in table]
        self.scores = [0, 0]
        self.seat = 0

    def sets(self) -> list[tuple[Card, ...]]:
        """Those on the table."""
        return sets_among(self.table)

    def is_over(self) -> bool:
        return not self.deck and not self.sets()

    def draws(self, taken: tuple[Card, ...] | None) -> int:
        """How many cards come to the table when a set is taken, or three are dealt (None)."""
        wanted = 3 if taken is None else max(0, self.usual - (len(self.table) - 3))
        return min(wanted, len(self.deck))

    def play(self, taken: tuple[Card, ...] | None, drawn: list[Card]) -> None:
        """Take a set, or deal; these cards were drawn."""
        assert len(drawn) == self.draws(taken)
        if taken is None:
            assert not self.sets()
        else:
            assert taken in self.sets()
            self.table = [card for card in self.table if card not in taken]
            self.scores[self.seat] += 1
        for card in drawn:
            self.deck.remove(card)
        self.table = sorted([*self.table, *drawn])
        self.seat = 1 - self.seat


def expected_sets(table: list[Card], deck: list[Card], drawn: int) -> float:
    """The mean number of sets among a table and so many cards of a deck, over all that may come."""
    hands = list(combinations(deck, drawn))
    return sum(len(sets_among([*table, *hand])) for hand in hands) / len(hands)


def completing(one: Card, other: Card) -> Card:
    """The card that makes a set of two."""
    return tuple(a if a == b else 3 - a - b for a, b in zip(one, other, strict=True))


def counts_without_set(dimensions: int, most: int) -> list[int]:
    """For 0 to ``most`` cards, how many choices hold no set, by adding a card at a time."""
    counts = [0] * (most + 1)

    def add(chosen: list[Card], free: list[Card]) -> None:
        counts[len(chosen)] += 1
        if len(chosen) < most:
            for place, card in enumerate(free):
                closed = {completing(card, each) for each in chosen}
                later = [each for each in free[place + 1 :] if each not in closed]
                add([*chosen, card], later)

    add([], deck_of(dimensions))
    return counts
