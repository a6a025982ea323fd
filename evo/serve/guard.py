"""The guard of a server: only who has the token, from pages of this server, gets an answer."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine that browsers may use."""
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Guard:
    """A middleware that refuses requests without the token or from other pages.

    Attributes:
        app: the application behind it.
        token: the secret. A first request gives it as ``?token=``; afterwards a cookie has it.
        hosts: names of this server that a request may use, without the port.
        prefix: path of the server behind a proxy, such as ``/user/me/proxy/8000``.
    """

    def __init__(
        self, app: Any, token: str, hosts: Sequence[str] = LOOPBACK, prefix: str = ""
    ) -> None:
        self.app, self.token, self.hosts = app, token, [host.lower() for host in hosts]
        self.prefix = prefix.rstrip("/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on to the application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if self.prefix and scope["path"].startswith(f"{self.prefix}/"):
            scope = {**scope, "path": scope["path"].removeprefix(self.prefix)}
        refusal = self._refusal(scope)
        await (self.app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that must not reach the application, or None."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if name not in self.hosts:
            return PlainTextResponse("unknown host; --allow-host adds a name of this server", 400)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if given and self._is_token(given):
            answer = RedirectResponse(scope["path"].rpartition("/")[2] or ".", 303)
            answer.set_cookie(
                self._cookie(host), self.token, httponly=True, samesite="strict", path="/"
            )
            return answer
        if not self._is_token(self._kept(headers, host)):
            return PlainTextResponse(
                "the address with ?token= that evo serve prints is needed", 403
            )
        origin = headers.get("origin")
        is_changing = scope["method"] not in ("GET", "HEAD")
        if (origin is not None or is_changing) and _host_of(origin or "") != host:
            return PlainTextResponse("a request from another page is refused", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("a request from another page is refused", 403)
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _cookie(self, host: str) -> str:
        """Return the name of the cookie: servers at several ports of a machine share cookies."""
        return f"evo-{host.rpartition(':')[2]}" if ":" in host else "evo"

    def _kept(self, headers: Headers, host: str) -> str:
        """Return the token in the cookie of a request, or an empty text."""
        try:
            held = SimpleCookie(headers.get("cookie", "")).get(self._cookie(host))
        except CookieError:
            return ""
        return held.value if held else ""


def _host_of(origin: str) -> str:
    return origin.lower().partition("://")[2]
