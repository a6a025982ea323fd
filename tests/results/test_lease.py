"""A lease is held by one at a time, whatever the clocks say and however long a holder sleeps."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storages import SECONDS, Clock, MemoryObjects, Watched

from results import ResultsError
from results.storage.lease import Lease, Time, renew_until
from results.storage.objects import ObjectState


def lease(objects, clock: Clock) -> Lease:
    return Lease(objects, "x/.lock", "memory:///x", SECONDS, clock.time)


def test_a_holder_that_renews_keeps_others_out_and_they_are_told_who_it_is():
    objects, clock = MemoryObjects(), Clock()
    holder, other = lease(objects, clock), lease(objects, clock)
    holder.take()
    clock.meanwhile = holder.renew
    began = clock.now
    with pytest.raises(ResultsError, match=r"another process is writing this run: memory:///x, by"):
        other.take()
    assert clock.now - began < SECONDS / 4
    holder.check()


def test_a_holder_that_died_is_outlasted_by_the_waiters_own_clock():
    objects, clock = MemoryObjects(), Clock()
    lease(objects, clock).take()
    began = clock.now
    lease(objects, clock).take()
    assert SECONDS < clock.now - began < 1.5 * SECONDS


def test_a_lease_that_is_given_back_is_taken_at_once_also_while_one_waits():
    objects, clock = MemoryObjects(), Clock()
    holder, second, third = (lease(objects, clock) for _ in range(3))
    holder.take()
    holder.release()
    began = clock.now
    second.take()
    assert clock.now == began
    clock.meanwhile = second.release
    third.take()
    assert clock.now - began < SECONDS / 2
    holder.release()  # what is not ours any more is left alone
    third.check()


def test_a_holder_that_slept_finds_out_before_its_next_write():
    objects, clock = MemoryObjects(), Clock()
    holder = lease(objects, clock)
    holder.take()
    lease(objects, clock).take()
    with pytest.raises(ResultsError, match="another process took the lock of this run"):
        holder.check()
    with pytest.raises(ResultsError, match="took the lock"):
        holder.renew()


def test_a_holder_that_slept_alone_goes_on():
    objects, clock = MemoryObjects(), Clock()
    holder = lease(objects, clock)
    holder.take()
    clock.now += 100 * SECONDS
    holder.check()
    began = clock.now
    clock.meanwhile = holder.renew
    with pytest.raises(ResultsError, match="another process"):
        lease(objects, clock).take()
    assert clock.now > began


def test_a_store_that_does_not_answer_ends_writing_once_the_lease_may_have_ended():
    objects, clock = Watched(MemoryObjects()), Clock()
    holder = lease(objects, clock)
    holder.take()
    objects.put = lambda *arguments: (_ for _ in ()).throw(OSError("it does not answer"))
    clock.now += SECONDS / 2
    holder.check()
    clock.now += SECONDS / 2
    with pytest.raises(ResultsError, match="cannot renew the lock of memory:///x: it does not"):
        holder.check()


@pytest.mark.parametrize("content", [b"", b"\xff{", b"[]", b'{"seconds": 1e300, "owner": "x"}'])
def test_a_lock_file_of_a_strangers_is_outlasted_too(content):
    objects, clock = MemoryObjects(), Clock()
    objects.put("x/.lock", content, ObjectState.ANY)
    lease(objects, clock).take()
    assert clock.now - 1000 < 2 * SECONDS


def test_of_several_that_want_a_free_lease_one_has_it():
    objects, clock = MemoryObjects(), Clock()
    real, others = objects.put, [lease(objects, clock) for _ in range(3)]

    def put(key, data, expected):
        objects.put = real
        others[0].take()  # in between its looking and its writing
        return real(key, data, expected)

    objects.put = put
    clock.meanwhile = others[0].renew
    with pytest.raises(ResultsError, match="another process"):
        others[1].take()
    assert json.loads(objects.get("x/.lock").data)["count"] > 1


def test_what_a_lock_file_says_reaches_no_terminal_as_commands():
    objects, clock = MemoryObjects(), Clock()
    content = {"owner": "x", "host": "a\x1b[2J\nb", "process": "7" * 1000}
    objects.put("x/.lock", json.dumps(content).encode(), ObjectState.ANY)
    renewed = json.dumps({**content, "count": 2}).encode()
    clock.meanwhile = lambda: objects.put("x/.lock", renewed, ObjectState.ANY)
    with pytest.raises(ResultsError) as told:
        lease(objects, clock).take()
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 400


@pytest.mark.parametrize("kept", [{"absent"}, {"tag"}, set()])
def test_a_store_that_does_not_keep_conditions_is_refused(kept):
    class Careless(MemoryObjects):
        def put(self, key, data, expected):
            kind = "absent" if expected is ObjectState.ABSENT else "tag"
            return super().put(key, data, expected if kind in kept else ObjectState.ANY)

    with pytest.raises(ResultsError, match=r"memory:///x: this store ignores the cond"):
        lease(Careless(), Clock()).take()


def test_a_store_that_does_not_answer_at_once_may_keep_conditions():
    objects, clock = Watched(MemoryObjects()), Clock()
    fault = (OSError("connection reset"), None)
    objects.trouble = iter([(None, None), (None, None), fault, fault, (None, None), fault])
    lease(objects, clock).take()


RATES = st.floats(0.9, 1.1)


@given(RATES, RATES, st.lists(st.integers(0, 6), max_size=40))
def test_two_drivers_never_hold_a_lease_together(rate_a, rate_b, naps):
    """The holder renews after naps of so many tenths of the lease; clocks go at their own rates."""
    objects, world = MemoryObjects(), Clock()
    holder = lease(objects, world_of(world, rate_a))
    other = lease(objects, world_of(world, rate_b))
    holder.take()
    left = iter(naps)
    wakes = world.now

    def meanwhile():
        nonlocal wakes
        if world.now >= wakes and (nap := next(left, None)) is not None:
            holder.renew()
            wakes = world.now + nap * SECONDS / 10

    world.meanwhile = meanwhile
    try:
        other.take()
    except ResultsError:
        holder.check()
        return
    before = objects.get("x/.lock")
    assert holder._by.now() - holder._renewed > holder.seconds  # it does not write unasked
    with pytest.raises(ResultsError):
        holder.check()
    assert objects.get("x/.lock") == before
    other.check()


def world_of(world: Clock, rate: float) -> Clock:
    """A clock that goes at another rate than the world's, which waiting moves."""

    class Own(Clock):
        @property
        def time(self):
            return Time(lambda: world.now * rate, lambda seconds: world.wait(seconds / rate))

    return Own()


def test_a_thread_renews_until_it_is_stopped_or_the_lease_is_lost():
    objects = MemoryObjects()
    quick = Lease(objects, "x/.lock", "memory:///x", 0.05)
    quick.take()
    _, thread = renewed(quick)
    first = objects.get("x/.lock")
    while objects.get("x/.lock") == first:
        thread.join(0.01)
    objects.delete("x/.lock")
    thread.join(30)
    assert not thread.is_alive()
    again = Lease(objects, "x/.lock", "memory:///x", 0.05)
    again.take()
    is_over, thread = renewed(again)
    is_over.set()
    thread.join(30)
    assert not thread.is_alive()


def renewed(lease):
    """An event, and the thread that renews a lease until the event is set."""
    is_over = threading.Event()
    thread = threading.Thread(target=renew_until, args=(is_over, lease), daemon=True)
    thread.start()
    return is_over, thread
