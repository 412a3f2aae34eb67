"""Filters of lists. Generated from openapi.yml by ``npm run client``."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Final, Literal, TypedDict


class UserFilter(TypedDict, total=False):
    """Which users a list has. Without members: all. A member that is None is left out. Times are Unix seconds, dates, or a ``datetime`` with a time zone."""

    location: str | Sequence[str] | None
    """Selects users whose location contains any of these texts, case-insensitive."""
    company: str | Sequence[str] | None
    """Selects users whose company contains any of these texts, case-insensitive."""
    country: str | Sequence[str] | None
    """Selects users whose location is in any of these countries: codes of ISO 3166-1 alpha-2, such as ``DE``."""
    dependency_names: str | Sequence[str] | None
    """Selects items that use any of these dependencies: whole names, case-insensitive."""
    dependency_match: Literal["any", "all"] | None
    """Whether an item must use each named dependency (``all``), or one of them (``any``, the default)."""
    without_dependency_names: str | Sequence[str] | None
    """Leaves out items that use any of these dependencies."""
    dependency_files: str | Sequence[str] | None
    """Selects items that use a dependency declared in any of these files, such as ``package.json``."""
    dependency_status: Literal["active", "removed"] | None
    """Matches only dependencies that are still declared (``active``), or only removed ones (``removed``)."""
    first_use_since: str | int | datetime.date | None
    """Selects items that began to use the dependency at or after this time."""
    first_use_until: str | int | datetime.date | None
    """Selects items that began to use the dependency before this time."""
    last_use_since: str | int | datetime.date | None
    """Selects items that stopped using the dependency at or after this time."""
    last_use_until: str | int | datetime.date | None
    """Selects items that stopped using the dependency before this time."""
    type: str | Sequence[str] | None
    """Selects users of any of these types, such as ``User``, ``Organization`` and ``Bot``, case-insensitive."""
    has: Literal["email", "name", "company", "location", "bio"] | Sequence[Literal["email", "name", "company", "location", "bio"]] | None
    """Selects users who have each of these fields."""
    email_domain: str | Sequence[str] | None
    """Selects users whose ``email`` is at any of these domains."""
    min_followers: int | None
    """Selects users with at least this many followers."""
    active_since: str | int | datetime.date | None
    """Selects users who authored or co-authored a commit at or after this time: a date such as ``2026-01-31``, or Unix seconds."""
    contributed_to: str | Sequence[str] | None
    """Selects users who authored or co-authored a commit of any of these repositories (``OWNER/NAME``)."""
    changed_since: int | None
    """Selects items that were added or changed after this version of the dataset."""
    sort: Literal["followers"] | None
    """Sorts users by ``followers``, repositories by ``stars`` or last push (``pushed``), the highest first."""


class RepositoryFilter(TypedDict, total=False):
    """Which repositories a list has. Without members: all. A member that is None is left out. Times are Unix seconds, dates, or a ``datetime`` with a time zone."""

    owner: str | None
    """Selects repositories whose owner has this login now, case-insensitive."""
    contributor: str | Sequence[str] | None
    """Selects repositories with a commit of any of these logins."""
    dependency_names: str | Sequence[str] | None
    """Selects items that use any of these dependencies: whole names, case-insensitive."""
    dependency_match: Literal["any", "all"] | None
    """Whether an item must use each named dependency (``all``), or one of them (``any``, the default)."""
    without_dependency_names: str | Sequence[str] | None
    """Leaves out items that use any of these dependencies."""
    dependency_files: str | Sequence[str] | None
    """Selects items that use a dependency declared in any of these files, such as ``package.json``."""
    dependency_status: Literal["active", "removed"] | None
    """Matches only dependencies that are still declared (``active``), or only removed ones (``removed``)."""
    first_use_since: str | int | datetime.date | None
    """Selects items that began to use the dependency at or after this time."""
    first_use_until: str | int | datetime.date | None
    """Selects items that began to use the dependency before this time."""
    last_use_since: str | int | datetime.date | None
    """Selects items that stopped using the dependency at or after this time."""
    last_use_until: str | int | datetime.date | None
    """Selects items that stopped using the dependency before this time."""
    language: str | Sequence[str] | None
    """Selects repositories with any of these primary languages, case-insensitive."""
    license: str | Sequence[str] | None
    """Selects repositories with any of these licenses, such as ``MIT``, case-insensitive."""
    min_stars: int | None
    """Selects repositories with at least this many stars."""
    min_forks: int | None
    """Selects repositories with at least this many forks."""
    fork: bool | None
    """Selects only forks (``true``), or only repositories that aren't forks (``false``)."""
    archived: bool | None
    """Selects only archived repositories (``true``), or only others (``false``)."""
    pushed_since: str | int | datetime.date | None
    """Selects repositories whose last push was at or after this time: a date such as ``2026-01-31``, or Unix seconds."""
    changed_since: int | None
    """Selects items that were added or changed after this version of the dataset."""
    sort: Literal["stars", "pushed"] | None
    """Sorts users by ``followers``, repositories by ``stars`` or last push (``pushed``), the highest first."""
    exclude: Literal["dependencies"] | None
    """``dependencies`` leaves this field out of each repository, at the same price."""


REPEATED: Final[tuple[str, ...]] = ("location", "company", "prefix", "contains", "dependency_name", "dependency_file",)
"""Parameters whose values may have commas, and are repeated. Those of all others are joined by commas."""
FLAGS: Final[tuple[str, ...]] = ("fork", "archived",)
TIMES: Final[tuple[str, ...]] = ("first_use_since", "first_use_until", "last_use_since", "last_use_until", "active_since", "pushed_since", "since", "until",)
