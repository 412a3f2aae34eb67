"""Filters of lists, and how they are written in a path."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Union
from urllib.parse import quote, urlencode

from .records import DependencyStatus

Texts = Union[str, Sequence[str]]
"""A text, or several."""
UserField = Literal["email", "name", "company", "location", "bio"]
"""Fields that users may lack."""


class _DependencyFilter(TypedDict, total=False):
    dependency_names: Texts | None
    """Only those that use any of these dependencies: whole names, case-insensitive."""
    dependency_match: Literal["any", "all"] | None
    """``all``: only those that use each of these names. Default: any."""
    without_dependency_names: Texts | None
    """Only those that use none of these dependencies."""
    dependency_files: Texts | None
    """Only those that use a dependency declared in any of these files, such as ``package.json``."""
    dependency_status: DependencyStatus | None
    """Only dependencies that are still declared, or that no longer are. Default: both. Needs names or files."""
    changed_since: int | None
    """Only what was added or changed after this version of the dataset. No other filter is allowed with it."""


class UserFilter(_DependencyFilter, total=False):
    """Which users a list has. Without members: all. A member that is None is left out."""

    location: Texts | None
    """Only users whose location contains this text, or any of these texts, case-insensitive."""
    country: Texts | None
    """Only users whose location names any of these countries: codes of ISO 3166-1 alpha-2, such as ``DE``, in any case."""
    type: Texts | None
    """Only users of any of these types, such as ``User`` and ``Organization``, case-insensitive."""
    has: UserField | Sequence[UserField] | None
    """Only users who have all of these fields."""
    min_followers: int | None
    active_since: str | int | datetime.date | None
    """Only users who authored a commit then or later: Unix seconds, a date, or a ``datetime`` with a time zone."""


class RepositoryFilter(_DependencyFilter, total=False):
    """Which repositories a list has. Without members: all. A member that is None is left out."""

    owner: str | None
    """Only repositories of this login, case-insensitive."""
    language: Texts | None
    """Only repositories with any of these primary languages, case-insensitive."""
    license: Texts | None
    """Only repositories with any of these licenses, such as ``MIT``, case-insensitive."""
    min_stars: int | None
    fork: bool | None
    archived: bool | None
    pushed_since: str | int | datetime.date | None
    """Only repositories whose last push was then or later. See ``active_since`` of users."""
    exclude: Literal["dependencies"] | None
    """Leaves the dependencies out of each repository. The price stays the same."""


_REPEATED = ("location", "prefix", "contains")
"""Parameters whose values may have commas, and are repeated. Those of all others are joined by commas."""
_FLAGS = ("fork", "archived")
_TIMES = ("active_since", "pushed_since")
_MAX_BATCH_SIZE = 100


def write_list_url(path: str, parameters: Mapping[str, Any]) -> str:
    """Writes the path of a list with a filter. A parameter that is None is left out.

    Raises a ``ValueError`` if a value is empty, because the service would refuse it or list everything, and a ``TypeError``
    for values that are neither texts nor numbers: "None" would be searched for.
    """
    pairs: list[tuple[str, str]] = []
    for name, given in parameters.items():
        if given is None:
            continue
        values = [_write_value(name, value) for value in _to_list(given)]
        if not values or any(value.strip() == "" for value in values):
            raise ValueError(f"{name} is empty; leave it out to list everything")
        is_repeated = name in _REPEATED
        if not is_repeated and any("," in value for value in values):
            raise ValueError(f"{name} must not contain commas; several values are a list")
        # A space at the end would be a plus sign, which the service refuses in what it compares whole.
        texts = values if is_repeated else [",".join(value.strip() for value in values)]
        pairs.extend((name, text) for text in texts)
    return f"{path}?{urlencode(pairs)}" if pairs else path


def write_batch_urls(path: str, name_parameter: str, keys: Iterable[str] | Iterable[int]) -> list[str]:
    """Writes the paths of batch look-ups, each of a hundred names or ids at most, and each name once."""
    if isinstance(keys, (str, bytes)):
        raise TypeError("names or ids to look up must be a list")
    names = list({str(key).lower(): key for key in _to_list(keys)}.values())
    if len({type(name) for name in names}) > 1:
        raise TypeError("names and ids must be looked up separately")
    parameter = "forge_rest_ids" if names and isinstance(names[0], int) else name_parameter
    return [
        write_list_url(path, {parameter: names[start : start + _MAX_BATCH_SIZE]})
        for start in range(0, len(names), _MAX_BATCH_SIZE)
    ]


def write_path(*parts: str) -> str:
    """Writes a path. Raises if a part would change which path it is, or is not a text."""
    for part in parts:
        if not isinstance(part, str):
            raise TypeError("a login, an owner or a name must be a text")
        if part in ("", ".", ".."):
            raise ValueError("a login, an owner or a name must not be empty, a dot or two dots")
    return "/".join(quote(part, safe="") for part in parts)


def write_repository_path(full_name: str) -> str:
    """Writes the path of a repository, which is named by ``OWNER/NAME``."""
    parts = full_name.split("/") if isinstance(full_name, str) else []
    if len(parts) != 2:
        raise ValueError("a repository is named by OWNER/NAME")
    return write_path("repos", *parts)


def _to_list(given: Any) -> Sequence[Any]:
    """Sets are sorted: in another process they may have another order, and the list another URL."""
    if isinstance(given, (set, frozenset)):
        return sorted(given)
    return [given] if isinstance(given, (str, bytes)) or not isinstance(given, Iterable) else list(given)


def _write_value(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime.datetime) and name in _TIMES:
        if value.utcoffset() is None:
            raise ValueError(f"{name} must have a time zone, such as datetime.timezone.utc")
        return str(math.floor(value.timestamp()))
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime) and name in (*_TIMES, "day"):
        return value.isoformat()
    if isinstance(value, bool):
        if name in _FLAGS:
            return str(value).lower()
    elif isinstance(value, int) and value >= 0:
        return str(value)
    kind = "a text or a whole number, or a list of them"
    if name in _FLAGS:
        kind = "True or False"
    elif name in _TIMES:
        kind = "a date, a datetime, a text or a whole number"
    raise TypeError(f"{name} must be {kind}, but has {value!r}")
