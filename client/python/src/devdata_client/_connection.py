"""HTTP connections: kept open between requests, one for each thread."""

from __future__ import annotations

import base64
import gzip
import http.client
import os
import threading
import time
import urllib.request
from dataclasses import dataclass
from email.message import Message
from urllib.parse import SplitResult, unquote, urlsplit

_CHUNK_BYTES = 65_536
_MAX_IDLE = 60.0
"""A connection that was idle for longer, in seconds, may have been dropped without a word."""


@dataclass(frozen=True)
class Response:
    """A whole response, decompressed."""

    status: int
    headers: Message
    body: bytes


class ConnectFailed(Exception):
    """No connection was made, so nothing was sent."""


@dataclass
class _Connection:
    http: http.client.HTTPConnection
    prefix: str
    """What precedes the path in the request line: a proxy needs the whole URL, unless it makes a tunnel."""
    headers: dict[str, str]
    """For the proxy."""
    process: int
    used_at: float

    def __del__(self) -> None:
        self.http.close()


class Connections:
    """Sends requests to one host, through the proxy that ``HTTPS_PROXY`` or ``HTTP_PROXY`` names, if there is one."""

    def __init__(self, base: SplitResult, timeout: float) -> None:
        self._base = base
        self._timeout = timeout
        self._threads = threading.local()

    def request(self, method: str, target: str, headers: dict[str, str], body: bytes | None = None) -> Response:
        """Sends a request, and reads the response to its end.

        Raises ``ConnectFailed``, or an ``OSError`` or an ``http.client.HTTPException`` if no whole response comes in time.
        """
        deadline = time.monotonic() + self._timeout
        kept = self._take()
        if kept is None:
            return self._exchange(self._connect(deadline), method, target, headers, body, deadline)
        try:
            return self._exchange(kept, method, target, headers, body, deadline)
        except ConnectionError as error:
            # The service has closed an idle connection. A paid request has an idempotency key, and one that grants has a
            # reference: repeating it is free.
            try:
                fresh = self._connect(deadline)
            except ConnectFailed:
                raise error from None  # the first try may have been charged
            return self._exchange(fresh, method, target, headers, body, deadline)

    def close(self) -> None:
        """Closes the connection of this thread."""
        kept = self._take()
        if kept is not None:
            kept.http.close()

    def _take(self) -> _Connection | None:
        """Returns the connection of this thread, unless it is that of a parent process, or was idle for too long."""
        kept: _Connection | None = getattr(self._threads, "connection", None)
        self._threads.connection = None
        if kept is None or kept.process != os.getpid() or time.monotonic() - kept.used_at > _MAX_IDLE:
            return None
        return kept

    def _exchange(
        self,
        connection: _Connection,
        method: str,
        target: str,
        headers: dict[str, str],
        body: bytes | None,
        deadline: float,
    ) -> Response:
        is_reusable = False
        sock = connection.http.sock
        try:
            sock.settimeout(_time_left(deadline))
            connection.http.request(method, connection.prefix + target, body, {**headers, **connection.headers})
            sock.settimeout(_time_left(deadline))
            received = connection.http.getresponse()
            chunks: list[bytes] = []
            while not received.isclosed():  # with the last byte, from Python 3.11.8 on: the socket, too, if it isn't kept
                sock.settimeout(_time_left(deadline))
                chunk = received.read1(_CHUNK_BYTES)
                if not chunk:
                    break
                chunks.append(chunk)
            if received.length:
                raise http.client.IncompleteRead(b"", received.length)
            received.close()  # so that the connection takes another request
            content = b"".join(chunks)
            if received.headers.get("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            is_reusable = not received.will_close
            return Response(received.status, received.headers, content)
        finally:
            if is_reusable:
                connection.used_at = time.monotonic()
                self._threads.connection = connection
            else:
                connection.http.close()

    def _connect(self, deadline: float) -> _Connection:
        scheme, host = self._base.scheme, self._base.hostname or ""
        is_https = scheme == "https"
        port = self._base.port or (443 if is_https else 80)
        cls = http.client.HTTPSConnection if is_https else http.client.HTTPConnection
        prefix, headers = "", {}
        proxy = _find_proxy(scheme, self._base.netloc)
        if proxy is None:
            connection = cls(host, port)
        else:
            connection = cls(proxy.hostname or "", proxy.port or 80)
            credentials = _write_credentials(proxy)
            if is_https:
                connection.set_tunnel(host, port, credentials)
            else:
                prefix, headers = f"{scheme}://{self._base.netloc}", credentials
        connection.timeout = _time_left(deadline)
        try:
            connection.connect()
        except OSError as error:
            raise ConnectFailed(str(error)) from error
        return _Connection(connection, prefix, headers, os.getpid(), time.monotonic())


def _time_left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


def _find_proxy(scheme: str, host_and_port: str) -> SplitResult | None:
    url = urllib.request.getproxies().get(scheme)
    if not url or urllib.request.proxy_bypass(host_and_port):
        return None
    proxy = urlsplit(url if "://" in url else f"http://{url}")
    if proxy.scheme != "http":
        raise ConnectFailed(f"the proxy of {scheme.upper()}_PROXY must be an http:// URL, not {proxy.scheme}://")
    return proxy


def _write_credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    text = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(text.encode()).decode()}
