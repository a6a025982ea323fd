"""Object stores, and writes to them that are safe if an answer is lost.

An object is written atomically and is visible to all later requests. There is no rename. Instead, a
write may be conditional on the state of the object, and is refused if the object is in another
state.

Buckets of S3, Google Cloud Storage and Azure are opened by the package obstore (extra ``storage``),
which offers both conditions of a write: that the object does not exist, and that it has a given
tag. Credentials, region and endpoint come from the usual environment variables.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import timedelta
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from results.errors import ResultsError
from results.storage.base import Check, accept

_TRIES = 4
"""The time for retries of a request, divided by the timeout of one attempt."""
_CONNECT_SECONDS = 5.0
_RETRIES = 8
_Result = TypeVar("_Result")
ATTEMPTS = 5
_PAUSE = 0.1


class ObjectState(Enum):
    """States of an object that a write may require, besides the state of a tag."""

    ABSENT = "there is none"
    ANY = "whatever there is"


Tag = Hashable
"""An identifier of an object's state. Tags are equal if the contents are equal."""


class Conflict(Exception):
    """A refused write, because the object was not in the required state."""


class Object(NamedTuple):
    """An object as it was read."""

    data: bytes
    tag: Tag


class Service(NamedTuple):
    """The environment variables of a service that messages name: credentials and endpoint."""

    credentials: str
    endpoint: str


SERVICES = {
    "s3": Service("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"),
    "gs": Service("GOOGLE_APPLICATION_CREDENTIALS", "the network"),
    "az": Service("AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY", "AZURE_ENDPOINT"),
    "memory": Service("nothing", "the memory of this process"),  # for trials
}


def open_bucket(scheme: str, bucket: str, retry_seconds: float) -> Objects:
    """Return access to a bucket of an object store, without a request to the service.

    Raises:
        ResultsError: obstore is not installed, or does not accept the bucket.
    """
    address = f"{scheme}://{bucket}"
    try:
        from obstore.exceptions import BaseError
        from obstore.store import MemoryStore, from_url
    except ImportError as error:
        raise ResultsError(
            f"{address} given, which takes the package obstore; install it with: pip install "
            "'evo-tournaments[storage]'"
        ) from error
    request = timedelta(seconds=retry_seconds / _TRIES)
    options: dict[str, Any] = {
        "client_options": {
            "timeout": request,
            "connect_timeout": timedelta(seconds=min(_CONNECT_SECONDS, retry_seconds / _TRIES)),
            "allow_http": True,  # it is the endpoint that says http or https
        },
        "retry_config": {
            "max_retries": _RETRIES,
            "retry_timeout": timedelta(seconds=retry_seconds),
        },
    }
    try:
        store = MemoryStore() if scheme == "memory" else from_url(address, **options)
        return Objects(store, address, SERVICES[scheme], retry_seconds)
    except (BaseError, ValueError) as error:
        check = SERVICES[scheme].credentials
        raise ResultsError(
            f"{address} cannot be opened: {_first_line(error)}; check {check}"
        ) from error


class Unanswered(OSError):
    """A request without a complete answer. It may have been executed."""


class Objects:
    """The objects of one bucket. A store that refuses, or does not answer, raises ``OSError``.

    Attributes:
        address: of the bucket, without a slash at its end and without secrets.
    """

    def __init__(
        self, store: Any, address: str, service: Service, retry_seconds: float = 0.0
    ) -> None:
        """Prepare access to a bucket of an object store; use ``open_bucket``.

        Args:
            store: a store of the package obstore.
            address: address of the bucket, for messages.
            service: names of its environment variables, for messages.
            retry_seconds: how long requests without an answer are repeated.
        """
        import obstore
        from obstore import exceptions

        self.address = address
        self._store, self._service, self._retry_seconds = store, service, retry_seconds
        self._calls, self._errors = obstore, exceptions

    def get(self, key: str, check: Check = accept) -> Object:
        """Return the content and the state of an object in the store.

        Its size is passed to ``check`` before. Raise FileNotFoundError if the object is missing.
        """

        def read() -> Object:
            answer = self._calls.get(self._store, key)
            check(int(answer.meta["size"]))
            return Object(bytes(answer.bytes()), _tag(answer.meta))

        return self._again(key, read)

    def size(self, key: str) -> int:
        """Return the size of an object in bytes. Raise FileNotFoundError if it is missing."""
        return int(self._again(key, lambda: self._calls.head(self._store, key))["size"])

    def age(self, key: str) -> float:
        """Return the approximate age in seconds of an object in the store.

        The clocks of this machine and of the store may differ. Errors are those of ``size``.
        """
        meta = self._again(key, lambda: self._calls.head(self._store, key))
        return max(0.0, time.time() - meta["last_modified"].timestamp())

    def put(self, key: str, data: bytes, expected: Tag | ObjectState) -> Tag:
        """Write an object if its state in the store is ``expected``, and return its new state.

        Raise Conflict if it is in another state.
        """
        modes: dict[Any, Any] = {ObjectState.ANY: "overwrite", ObjectState.ABSENT: "create"}
        mode = modes.get(expected) or dict(expected)  # type: ignore[call-overload]
        errors = self._errors
        conflicts = (errors.AlreadyExistsError, errors.PreconditionError, errors.NotModifiedError)

        def write() -> Tag:
            try:
                answer = self._calls.put(self._store, key, data, mode=mode, use_multipart=False)
            except conflicts as error:
                raise Conflict(key) from error
            except FileNotFoundError as error:
                raise OSError(self._no_bucket()) from error
            return _tag(answer)

        return self._again(key, write) if expected is ObjectState.ANY else self._asked(key, write)

    def delete(self, key: str) -> None:
        """Remove an object from the store. An object that does not exist is ignored."""
        with suppress(FileNotFoundError):
            self._again(key, lambda: self._calls.delete(self._store, key))

    def names(self, prefix: str) -> list[str]:
        """Return the names of the entries of a folder in the store, each once, in no order.

        They are the next parts of all keys that begin with ``prefix``.
        """

        def read() -> list[str]:
            answer = self._calls.list_with_delimiter(self._store, prefix.removesuffix("/"))
            there = [entry["path"] for entry in answer["objects"]]
            inside = [path for path in [*there, *answer["common_prefixes"]] if path > prefix]
            return [path.rpartition("/")[2] for path in inside]

        return self._again(prefix, read)

    def _again(self, key: str, request: Callable[[], _Result]) -> _Result:
        """Send a request to the object store, again while it has no answer, for a limited time.

        The request must be idempotent. ``key`` names the object in messages.

        The client library retries refused requests, but not requests whose answer breaks off.
        """
        until = time.monotonic() + self._retry_seconds
        while True:
            try:
                return self._asked(key, request)
            except Unanswered:
                if time.monotonic() >= until:
                    raise
                time.sleep(_PAUSE)

    def _asked(self, key: str, request: Callable[[], _Result]) -> _Result:
        """Send a request to the object store and convert an error to an OSError of one line.

        ``key`` names the object in the message.
        """
        try:
            return request()
        except FileNotFoundError as error:
            if "NoSuchBucket" in str(error):
                raise OSError(self._no_bucket()) from error
            raise FileNotFoundError(2, "no such object", f"{self.address}/{key}") from None
        except self._errors.BaseError as error:
            raise self._translated(error) from error

    def _translated(self, error: Exception) -> OSError:
        text, service = _first_line(error), self._service
        if "NoSuchBucket" in str(error):
            return OSError(self._no_bucket())
        if any(place in text for place in ("169.254.", "metadata.google", "/token")):
            return PermissionError(f"no credentials were given; set {service.credentials}")
        denied = (self._errors.PermissionDeniedError, self._errors.UnauthenticatedError)
        if isinstance(error, denied) or " 403 " in text or " 401 " in text:
            return PermissionError(
                f"access was denied; check {service.credentials}, and what they may do here"
            )
        kind = OSError if " status code: 4" in text else Unanswered
        return kind(
            f"the service does not answer as it should ({text[:300]}); check {service.endpoint} "
            "and the network, and do the same again"
        )

    def _no_bucket(self) -> str:
        return f"there is no bucket {self.address}; make it first, or check the address"


def _tag(answer: Any) -> Tag:
    """Return the identifiers of an object's state in a store's answer, for conditional writes."""
    names = {name: answer[name] for name in ("e_tag", "version") if answer.get(name) is not None}
    return frozenset(names.items())


def _first_line(error: Exception) -> str:
    """Return the first line of an object store's error, without the queries of addresses."""
    return re.sub(r"\?\S+", "", str(error).strip().partition("\n")[0])


def put(
    objects: Objects,
    key: str,
    data: bytes,
    expected: Tag | ObjectState,
    wait: Callable[[float], object] = time.sleep,
) -> Tag:
    """Write an object if its state in the store is ``expected``, and return its new state.

    After a refusal or an error, the object is read. A write whose answer was lost has succeeded and
    must not be mistaken for another process's write.

    Raises:
        Conflict: the object is in another state and has other content.
        OSError: the store refuses, or did not answer several times.
    """
    for attempt in range(ATTEMPTS):
        try:
            return objects.put(key, data, expected)
        except (Conflict, OSError) as error:
            if expected is ObjectState.ANY or isinstance(error, PermissionError):
                raise
            last = error
        present = seen(objects, key)
        if present is not None and present.data == data:
            return present.tag
        if (ObjectState.ABSENT if present is None else present.tag) != expected:
            raise Conflict(key) from last
        wait(_PAUSE * 2**attempt)
    raise last


def seen(objects: Objects, key: str) -> Object | None:
    """Return an object of the store with its state, or None if it does not exist."""
    try:
        return objects.get(key)
    except FileNotFoundError:
        return None
