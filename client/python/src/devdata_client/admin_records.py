"""What requests about keys send, and what their responses have in them, as dicts. Generated from openapi.yml by ``npm run client``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


Role = Literal["user", "admin"]
"""Role of the key."""



class Key(TypedDict):
    """An API key as operators see it, without the key itself."""

    id: int
    """Id of the key for the command line."""
    name: str | None
    """Name that the operator gave the key."""
    role: Role
    """Role of the key."""
    scopes: list[Literal["users:read", "repos:read", "metrics:read", "keys:write"]]
    """What a ``user`` key may read. An ``admin`` key with ``metrics:read`` is for ``/metrics`` alone, and one with ``keys:write`` for ``/admin/keys`` alone. Both read their own state below ``/api-key``, too."""
    remaining_credits: int
    """Balance of the key."""
    rate_limit: str | None
    """Rate limit as requests/seconds: ``100/60`` is 100 requests in 60 seconds. Null if there is none."""
    notify_below: int | None
    """The operator's webhook is told when a charge takes the balance below this. Null if it isn't."""
    status: Literal["active", "revoked", "expired"]
    """Whether the key works. Only ``active`` keys do."""
    created_at: str
    """When the key was created (ISO 8601)."""
    expires_at: str | None
    """When the key stops working (ISO 8601); null if it doesn't expire."""
    last_used_at: str | None
    """When the key was last used (ISO 8601), to the minute; null if never."""


class CreatedKey(TypedDict):
    """An API key with its secret."""

    id: int
    """Id of the key."""
    secret: str | None
    """The key itself, which clients send. It is shown once. Null if the request was repeated."""
    key: Key
    """An API key as operators see it, without the key itself."""


class KeyGrant(TypedDict):
    """What became of a grant."""

    outcome: Literal["granted", "repeated"]
    """Whether the credits were granted now, or before under the same reference."""
    key: Key
    """An API key as operators see it, without the key itself."""


class NewKey(TypedDict):
    """A key to create."""

    reference: str
    """A name for this request, such as the number of an order. 1 to 100 characters without control characters."""
    credits: NotRequired[int]
    """Starting balance. 0 if it is missing."""
    name: NotRequired[str | None]
    """A name for your own records; null for none. 1 to 100 characters without control characters."""
    scopes: NotRequired[list[Literal["users:read", "repos:read"]]]
    """What the key may read. Everything if it is missing."""
    rate_limit: NotRequired[str | None]
    """Rate limit as requests/seconds, such as ``100/60``. Null for none. If it is missing, the operator's default."""
    notify_below: NotRequired[int | None]
    """The operator's webhook is told when a charge takes the balance below this. Null for none."""
    expires_at: NotRequired[str | None]
    """When the key stops working, a date (0:00 UTC) or a timestamp in the future (ISO 8601). Null for never."""


class KeyChange(TypedDict):
    """What to change of a key. What is missing stays as it is."""

    name: NotRequired[str | None]
    """A name for your own records; null for none. 1 to 100 characters without control characters."""
    rate_limit: NotRequired[str | None]
    """Rate limit as requests/seconds: ``100/60`` is 100 requests in 60 seconds. Null for none."""
    notify_below: NotRequired[int | None]
    """The operator's webhook is told when a charge takes the balance below this. Null for none."""


class NewGrant(TypedDict):
    """Credits to grant."""

    credits: int
    """Credits to add, or to withdraw if negative. Not 0."""
    reference: str
    """A name for this grant, such as the number of an invoice. 1 to 100 characters without control characters."""
