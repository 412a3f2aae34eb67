"""HTTP connections: kept open between requests, one for each thread."""

from __future__ import annotations

import base64
import gzip
import http.client
import threading
import time
import urllib.request
from dataclasses import dataclass
from email.message import Message
from urllib.parse import SplitResult, unquote, urlsplit

_CHUNK_BYTES = 65_536


@dataclass(frozen=True)
class Response:
    """A whole response, decompressed."""

    status: int
    headers: Message
    body: bytes


class ConnectFailed(Exception):
    """No connection was made, so nothing was sent."""


@dataclass(frozen=True)
class _Connection:
    http: http.client.HTTPConnection
    prefix: str
    """What precedes the path in the request line: a proxy needs the whole URL, unless it makes a tunnel."""
    headers: dict[str, str]
    """For the proxy."""

    def __del__(self) -> None:
        self.http.close()


class Connections:
    """Sends requests to one host, through the proxy that ``HTTPS_PROXY`` or ``HTTP_PROXY`` names, if there is one."""

    def __init__(self, base: SplitResult, timeout: float) -> None:
        self._base = base
        self._timeout = timeout
        self._threads = threading.local()

    def request(self, method: str, target: str, headers: dict[str, str]) -> Response:
        """Sends a request, and reads the response to its end.

        Raises ``ConnectFailed``, or an ``OSError`` or an ``http.client.HTTPException`` if no whole response comes in time.
        """
        deadline = time.monotonic() + self._timeout
        kept = self._take()
        if kept is not None:
            try:
                return self._exchange(kept, method, target, headers, deadline)
            except ConnectionError:
                pass  # The service has closed an idle connection. A paid request has an idempotency key: repeating it is free.
        return self._exchange(self._connect(), method, target, headers, deadline)

    def close(self) -> None:
        """Closes the connection of this thread."""
        kept = self._take()
        if kept is not None:
            kept.http.close()

    def _take(self) -> _Connection | None:
        kept: _Connection | None = getattr(self._threads, "connection", None)
        self._threads.connection = None
        return kept

    def _exchange(
        self,
        connection: _Connection,
        method: str,
        target: str,
        headers: dict[str, str],
        deadline: float,
    ) -> Response:
        is_reusable = False
        try:
            connection.http.request(method, connection.prefix + target, headers={**headers, **connection.headers})
            received = connection.http.getresponse()
            chunks: list[bytes] = []
            while chunk := received.read(_CHUNK_BYTES):
                chunks.append(chunk)
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError("timed out")
                if connection.http.sock is not None:
                    connection.http.sock.settimeout(left)
            body = b"".join(chunks)
            if received.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            is_reusable = not received.will_close
            return Response(received.status, received.headers, body)
        finally:
            if is_reusable and connection.http.sock is not None:
                connection.http.sock.settimeout(self._timeout)
                self._threads.connection = connection
            else:
                connection.http.close()

    def _connect(self) -> _Connection:
        scheme, host, port = self._base.scheme, self._base.hostname or "", self._base.port
        is_https = scheme == "https"
        cls = http.client.HTTPSConnection if is_https else http.client.HTTPConnection
        proxy = _find_proxy(scheme, host)
        if proxy is None:
            connection = _Connection(cls(host, port, timeout=self._timeout), "", {})
        else:
            through = cls(proxy.hostname or "", proxy.port or 80, timeout=self._timeout)
            credentials = _write_credentials(proxy)
            if is_https:
                through.set_tunnel(host, port or 443, credentials)
                connection = _Connection(through, "", {})
            else:
                connection = _Connection(through, f"{scheme}://{self._base.netloc}", credentials)
        try:
            connection.http.connect()
        except OSError as error:
            raise ConnectFailed(str(error)) from error
        return connection


def _find_proxy(scheme: str, host: str) -> SplitResult | None:
    url = urllib.request.getproxies().get(scheme)
    if not url or urllib.request.proxy_bypass(host):
        return None
    return urlsplit(url if "://" in url else f"http://{url}")


def _write_credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    text = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(text.encode()).decode()}
