"""A client of a devdata service, on the standard library alone.

>>> from devdata_client import Client
>>> api = Client("https://api.example.com", api_key)
>>> for user in api.users.list(location="berlin", budget=500):
...     print(user["login"])

Items are dicts, as the API returns them; ``devdata_client.records`` has their types.
"""

from ._changes import Change, Changes, ChangesState
from ._filter_types import RepositoryFilter, UserFilter
from ._lists import ItemList, ListState, Page
from ._requests import CachedResponse, ResponseInfo, Wait
from ._watch import Watch, WatchState
from .client import Client, Counts, Quote, Repositories, Users
from .errors import (
    AuthenticationError,
    ChangesExpiredError,
    DevdataError,
    IdempotencyConflictError,
    InsufficientCreditsError,
    InvalidRequestError,
    MaxCreditsError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnavailableError,
    UnreachableError,
)

__version__ = "0.2.0"

__all__ = [
    "AuthenticationError",
    "CachedResponse",
    "Change",
    "Changes",
    "ChangesExpiredError",
    "ChangesState",
    "Client",
    "Counts",
    "DevdataError",
    "IdempotencyConflictError",
    "InsufficientCreditsError",
    "InvalidRequestError",
    "ItemList",
    "ListState",
    "MaxCreditsError",
    "NetworkError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "Quote",
    "RateLimitError",
    "Repositories",
    "RepositoryFilter",
    "ResponseInfo",
    "UnavailableError",
    "UnreachableError",
    "UserFilter",
    "Users",
    "Wait",
    "Watch",
    "WatchState",
]
