"""What can go wrong, by class.

An error of a response that the service refused has the ``status``, the ``code`` and the ``request_id`` of the response.
The operator needs the ``request_id`` to find the request in the log.
"""

from __future__ import annotations


class DevdataError(Exception):
    """Any failure of a request.

    ``status``: the HTTP status; None: no response arrived. ``code``: ``X-Error-Code``; None: something other than the
    service responded. ``retry_after``: when to retry, in seconds from now.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after


class NetworkError(DevdataError):
    """No response, or none that is whole: the connection broke, or nothing came in time."""


class UnreachableError(NetworkError):
    """No connection could be made: the base URL is wrong, or the service doesn't run. Nothing was charged for this try."""


class InvalidRequestError(DevdataError):
    """400 and others: the request breaks a rule, which the message states."""


class AuthenticationError(DevdataError):
    """401: the key is missing, malformed, unknown or no longer valid."""


class PermissionDeniedError(DevdataError):
    """403: the key lacks a permission."""


class InsufficientCreditsError(DevdataError):
    """403: the balance is below the cost. Nothing was charged.

    ``needed``, what the request costs (of a quote, what one item costs), and ``balance`` are in credits. They are None if
    the response doesn't say them.
    """

    needed: int | None = None
    balance: int | None = None


class MaxCreditsError(DevdataError):
    """403: the request costs more than ``max_credits`` allows. Nothing was charged.

    ``cost`` is in credits. It is None if the response doesn't say it.
    """

    max_credits: int | None = None
    cost: int | None = None


class NotFoundError(DevdataError):
    """404: there is no such repository, or no such path below the base URL."""


class ChangesExpiredError(DevdataError):
    """410: changes since this version are no longer known. Fetch everything again."""


class IdempotencyConflictError(DevdataError):
    """422: the idempotency key was used for another request."""


class RateLimitError(DevdataError):
    """429: the key's rate limit is used up, and retries were too."""


class UnavailableError(DevdataError):
    """5xx: the service can't serve the request now, and retries didn't help."""


_by_code: dict[str | None, type[DevdataError]] = {
    "insufficient_credits": InsufficientCreditsError,
    "max_credits_exceeded": MaxCreditsError,
    "changes_expired": ChangesExpiredError,
    "idempotency_conflict": IdempotencyConflictError,
}
_by_status: dict[int, type[DevdataError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: UnavailableError,
    429: RateLimitError,
}


def create_response_error(
    message: str,
    *,
    status: int,
    code: str | None,
    request_id: str | None,
    retry_after: float | None,
    needed: int | None,
    balance: int | None,
    max_credits: int | None,
) -> DevdataError:
    """Creates the error of a response. ``needed`` is what it says that the request costs, in credits."""
    other: type[DevdataError] = UnavailableError if status >= 500 else InvalidRequestError
    # Only the service can say what is wrong with the key. A proxy's response has no code, but may have these statuses.
    by_status = other if code is None and status < 404 else _by_status.get(status, other)
    cls = _by_code.get(code, by_status)
    error = cls(message, status=status, code=code, request_id=request_id, retry_after=retry_after)
    if isinstance(error, InsufficientCreditsError):
        error.needed, error.balance = needed, balance
    if isinstance(error, MaxCreditsError):
        error.cost, error.max_credits = needed, max_credits
    return error


def is_about_url(error: DevdataError) -> bool:
    """Whether the base URL may be the reason: nothing responds there, or something other than the service."""
    if isinstance(error, UnreachableError):
        return True
    return isinstance(error, (NotFoundError, InvalidRequestError)) and error.code in (None, "route_not_found")


def is_transient(error: DevdataError) -> bool:
    """Whether the same request may succeed later."""
    if error.code in ("filter_not_ready", "keys_over_http_off"):  # until the operator does something
        return False
    return isinstance(error, (NetworkError, RateLimitError, UnavailableError))
