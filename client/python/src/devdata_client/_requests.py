"""Sends requests, until each has a whole response or can't have one."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import re
import time
import zlib
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

from ._connection import ConnectFailed, Connections, Response
from .errors import (
    DevdataError,
    InvalidRequestError,
    NetworkError,
    UnreachableError,
    create_response_error,
    is_about_url,
    is_transient,
)

_FIRST_DELAY = 0.5
_MAX_DELAY = 30.0
_MAX_JITTER = 1.0
"""What is added to ``Retry-After`` at most, in seconds, so that clients don't return at the same moment."""
_MAX_SLEEP = 25 * 86_400.0
"""The longest wait, in seconds. Longer ones are an error of the operating system."""
_MAX_RETRIES_BEFORE_RESPONSE = 2
"""How often a URL is tried again that has never responded."""


@dataclass(frozen=True)
class CachedResponse:
    """A response that a cache keeps, for conditional requests."""

    etag: str
    body: bytes
    next: str | None


@dataclass(frozen=True)
class ResponseInfo:
    """What a response says besides its data."""

    method: str
    path: str
    """Path and query below the base URL."""
    status: int
    request_id: str | None
    cost: int
    """What was charged for this response, in credits. On ``HEAD``: what the ``GET`` would cost."""
    paid: int
    """The same, and what was charged under the same idempotency key for responses that were lost."""
    balance: int | None
    """The balance of the key, in credits."""


@dataclass(frozen=True)
class Wait:
    """A wait before a request, in seconds. ``error``: why it is sent again; None: the rate limit is used up."""

    seconds: float
    error: DevdataError | None


@dataclass(frozen=True)
class ApiResponse:
    """A whole response: its data, and what the client reads from its headers."""

    info: ResponseInfo
    body: Any
    next: str | None
    """The query of the next page, from the question mark on; None: there is none."""
    total: int
    version: int | None
    """The version of the dataset that the data was read at."""


class Sender:
    """Sends requests with a key."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int,
        timeout: float,
        cache: MutableMapping[str, CachedResponse] | None,
        on_response: Callable[[ResponseInfo], object] | None,
        on_wait: Callable[[Wait], object] | None,
    ) -> None:
        self._base = _read_base_url(base_url)
        if not isinstance(api_key, str) or not re.fullmatch(r"[!-~]+", api_key):
            raise ValueError("api_key must be an API key: visible ASCII characters")
        if not is_whole_number(retries):
            raise ValueError("retries must be a whole number")
        if not timeout > 0:
            raise ValueError("timeout must be a number of seconds")
        self._api_key = api_key
        self._retries = retries
        self._cache = cache
        self._on_response = on_response
        self._on_wait = on_wait
        parts = urlsplit(self._base)
        self._base_path = parts.path
        self._connections = Connections(parts, timeout)
        self._paused_until = 0.0
        self._has_responded = False

    def __reduce__(self) -> NoReturn:
        raise TypeError("A client can't be pickled or copied: it has a key and connections. Create one in each process")

    def close(self) -> None:
        """Closes the connection of this thread."""
        self._connections.close()

    def send(
        self,
        path: str,
        *,
        method: str = "GET",
        idempotency_key: str | None = None,
        max_credits: int | None = None,
        members: dict[str, Any] | None = None,
    ) -> ApiResponse:
        """Sends a request, with the members of a JSON body, again and again if that may help. Raises a ``DevdataError``."""
        retry = 0
        while True:
            self._pause()
            try:
                return self._exchange(path, method, idempotency_key, max_credits, members)
            except DevdataError as error:
                is_new = isinstance(error, UnreachableError) and not self._has_responded
                most = min(self._retries, _MAX_RETRIES_BEFORE_RESPONSE) if is_new else self._retries
                if not is_transient(error) or retry >= most:
                    raise
                self._wait(_choose_delay(error, retry), error)
                retry += 1

    def _pause(self) -> None:
        while (seconds := self._paused_until - time.monotonic()) > 0:
            self._wait(seconds, None)

    def _wait(self, seconds: float, error: DevdataError | None) -> None:
        if self._on_wait is not None:
            self._on_wait(Wait(seconds, error))
        time.sleep(min(seconds, _MAX_SLEEP))

    def _exchange(
        self,
        path: str,
        method: str,
        idempotency_key: str | None,
        max_credits: int | None,
        members: dict[str, Any] | None,
    ) -> ApiResponse:
        """Sends a request once, and reads the response to its end."""
        url = self._base + path
        cached = self._cache.get(url) if self._cache is not None and method == "GET" else None
        headers = {
            "Authorization": f"Bearer {self._api_key}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        }
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if max_credits is not None:
            headers["Max-Credits"] = str(max_credits)
        if cached is not None:
            headers["If-None-Match"] = cached.etag
        if members is not None:
            headers["Content-Type"] = "application/json"
        sent = None if members is None else json.dumps(members).encode()
        response = self._receive(method, path, headers, sent)

        header = response.headers.get
        status = response.status
        paused = _read_pause(header("RateLimit"))
        if paused > 0:
            self._paused_until = time.monotonic() + paused
        kept = cached if status == 304 else None
        has_body = method != "HEAD" and status != 204
        body = _parse(response, kept.body if kept else response.body) if has_body else None
        cost = int(header("X-Credits-Cost") or 0)
        paid = max(cost, _count_items(body)) if header("Idempotency-Replayed") is not None else cost
        info = ResponseInfo(
            method=method,
            path=path,
            status=status,
            request_id=header("X-Request-Id"),
            cost=cost,
            paid=paid,
            balance=_read_number(header("X-Credits-Remaining")),
        )
        if self._on_response is not None:
            self._on_response(info)
        if status != (204 if method == "DELETE" else 200) and kept is None:
            self._raise_refusal(info, body, response, max_credits)
        next_query = kept.next if kept else read_next(header("Link"))
        etag = header("ETag")
        if self._cache is not None and status == 200 and method == "GET" and etag is not None:
            self._cache[url] = CachedResponse(etag, response.body, next_query)
        return ApiResponse(
            info=info,
            body=body,
            next=next_query,
            total=int(header("X-Total-Count") or 0),
            version=_read_number(header("X-Dataset-Version")),
        )

    def _receive(self, method: str, path: str, headers: dict[str, str], sent: bytes | None) -> Response:
        try:
            response = self._connections.request(method, self._base_path + path, headers, sent)
        except ConnectFailed as error:
            raise UnreachableError(
                f"Can't connect: {error}. Check the base URL {self._base}, and whether the service runs"
            ) from error.__cause__
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
            raise NetworkError(f"The request failed: {str(error) or type(error).__name__}") from error
        self._has_responded = True
        return response

    def _raise_refusal(
        self, info: ResponseInfo, body: Any, response: Response, max_credits: int | None
    ) -> NoReturn:
        message = body.get("error") if isinstance(body, dict) else None
        error = create_response_error(
            message if isinstance(message, str) else f"{info.method} {info.path} failed with status {info.status}",
            status=info.status,
            code=response.headers.get("X-Error-Code"),
            request_id=info.request_id,
            retry_after=_read_retry_after(response.headers.get("Retry-After")),
            needed=_read_number(response.headers.get("X-Credits-Needed")),
            balance=info.balance,
            max_credits=max_credits,
        )
        if 300 <= info.status < 400:
            target = response.headers.get("Location")
            error.message = f"Check the base URL {self._base}: it redirects{f' to {target}' if target else ''}"
        elif is_about_url(error):
            reason = "the service may be of an older version" if error.code else "a proxy responded, not the service"
            error.message += f". Check the base URL {self._base}. If it is right, {reason}"
        error.args = (error.message,)
        raise error


def is_whole_number(value: object) -> bool:
    """Whether a value is a whole number, from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_next(link: str | None) -> str | None:
    """Reads the query of the ``next`` link. The rest isn't used: behind a proxy it may be another host's, which must not get the key."""
    found = re.search(r'<[^>?]*(\?[^>]*)>;\s*rel="next"', link or "")
    return found[1] if found else None


def _read_base_url(base_url: str) -> str:
    """Returns the URL that paths are appended to."""
    wrong = ValueError("base_url must be the URL of the API, such as https://api.example.com")
    if not isinstance(base_url, str):
        raise wrong
    try:
        parts = urlsplit(base_url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_url = False
    if not is_url:
        raise wrong
    if parts.username is not None or parts.password is not None:
        raise ValueError("base_url must not have a user name or a password")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + "/", "", ""))


def _choose_delay(error: DevdataError, retry: int) -> float:
    """How long to wait before the retry of this number, from 0. ``Retry-After`` decides; without it, waits double."""
    if error.retry_after is not None:
        return error.retry_after + random.random() * _MAX_JITTER
    return min(_MAX_DELAY, _FIRST_DELAY * 2.0 ** min(retry, 10)) * (0.5 + random.random() / 2)


def _read_retry_after(header: str | None) -> float | None:
    """Reads ``Retry-After``, which is a number of seconds or a date. A date that has passed says nothing: clocks differ."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def _read_number(header: str | None) -> int | None:
    return None if header is None else int(header)


def _read_pause(header: str | None) -> int:
    """Reads ``RateLimit``: for how many seconds no request is left. 0: requests are left, or there is no limit."""
    found = re.search(r";r=(\d+);t=(\d+)", header or "")
    return int(found[2]) if found and found[1] == "0" else 0


def _parse(response: Response, body: bytes) -> Any:
    """Parses a body. JSON that can't be parsed was cut. None: an error response of something before the service."""
    status = response.status
    try:
        return json.loads(body)
    except ValueError as error:
        if status >= 300 and status != 304:
            return None
        request_id = response.headers.get("X-Request-Id")
        if "json" in response.headers.get("Content-Type", ""):
            raise NetworkError(
                "The request failed: the response is not whole", status=status, request_id=request_id
            ) from error
        raise InvalidRequestError(
            "The response is not JSON: the base URL must be that of the API", status=status, request_id=request_id
        ) from error


def _count_items(body: Any) -> int:
    data = body.get("data") if isinstance(body, dict) else None
    return len(data) if isinstance(data, list) else 1
