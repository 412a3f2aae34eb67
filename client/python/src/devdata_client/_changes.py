"""What brings a copy of the dataset up to date: users, repositories and removals, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypedDict

from ._lists import NOT_PICKLED, READ_TWICE, ItemList, ListState, create_random_key, is_list_state

ChangeType = Literal["user", "repository", "removal"]


@dataclass(frozen=True)
class Change:
    """A change of a copy. A user or a repository replaces the one with the same ``forge_rest_id``."""

    type: ChangeType
    item: Any


class ChangesState(TypedDict):
    """Where an iteration of changes is. Its members are the client's own: keep it whole, as JSON."""

    since: int | None
    version: int | None
    type: ChangeType
    list: ListState
    spent: int


OpenList = Callable[["ChangeType", "ListState | None", "int | None"], ItemList[Any]]
"""Opens the list of a type, from a state, within a budget."""


class Changes:
    """One iteration of everything that changed since a version of the dataset.

    Once it is over, ``version`` is what to pass the next time. It costs, has a budget and resumes as an ``ItemList`` does.
    """

    def __init__(
        self, open_list: OpenList, since: int | None, *, budget: int | None, resume: ChangesState | None
    ) -> None:
        if resume is not None and not (is_list_state(resume.get("list")) and resume.get("since") == since):
            raise ValueError("resume must be the state of an iteration of changes since the same version")
        self._open_list = open_list
        self._since = since
        self._budget = budget
        self._key = resume["list"]["key"] if resume else create_random_key()
        """What the idempotency keys of all pages begin with: what was paid for is free, whichever state is continued from."""
        self._spent_before = resume["spent"] if resume else 0
        self._version = resume["version"] if resume else None
        self._balance: int | None = None
        self._is_over = False
        self._type: ChangeType = "user"
        self._list: ItemList[Any] | None = None
        self._open(resume["type"] if resume else "user", resume["list"] if resume else None)

    def __reduce__(self) -> NoReturn:
        raise TypeError(NOT_PICKLED)

    @property
    def version(self) -> int | None:
        """The version of the dataset that the copy has once all is read; None: nothing is read yet."""
        return self._version

    @property
    def stopped_by(self) -> Literal["budget"] | None:
        """Why the iteration ended before all changes were read."""
        return self._list.stopped_by if self._list else None

    @property
    def balance(self) -> int | None:
        """The balance of the key, in credits."""
        return self._list.balance if self._list and self._list.balance is not None else self._balance

    @property
    def spent(self) -> int:
        """What the iteration cost so far, in credits, before a crash too."""
        return self._spent_before + (self._list.spent if self._list else 0)

    @property
    def state(self) -> ChangesState | None:
        """Where the iteration is. None: all is read."""
        state = self._list.state if self._list else None
        if state is None:
            return None
        return {
            "since": self._since,
            "version": self._version,
            "type": self._type,
            "list": state,
            "spent": self._spent_before,
        }

    def __iter__(self) -> Iterator[Change]:
        if self._is_over:
            raise TypeError(READ_TWICE)
        return self._iterate()

    def _iterate(self) -> Iterator[Change]:
        while self._list is not None:
            current, kind = self._list, self._type
            for item in current:
                self._follow(current)
                yield Change(kind, item)
            self._follow(current)
            if current.stopped_by is not None:
                return
        self._is_over = True

    def _follow(self, current: ItemList[Any]) -> None:
        """Notes the version of the first page, and opens the next list when all of this one is read."""
        if self._version is None:
            self._version = current.version
        if not current.is_complete or current is not self._list:
            return
        self._spent_before += current.spent
        self._balance = current.balance
        if self._type == "user":
            self._open("repository")
        elif self._type == "repository" and self._since is not None:
            self._open("removal")
        else:
            self._list = None

    def _open(self, kind: ChangeType, resume: ListState | None = None) -> None:
        left = None if self._budget is None else max(0, self._budget - self._spent_before)
        # Removals are free.
        budget = None if kind == "removal" else left
        # A new list has a key of its own: it is opened again with the one that all lists share.
        state: ListState | None = resume or self._open_list(kind, None, budget).state
        if state is not None:
            state["key"] = self._key
        self._type = kind
        self._list = self._open_list(kind, state, budget)
