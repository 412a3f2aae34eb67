"""A question that is asked again and again: each run gives what is new among its matches, and each item once, ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, NoReturn, TypedDict, TypeVar

from ._lists import NOT_PICKLED, READ_TWICE, ItemList, ListState, Page, identify_list, is_list_state
from ._requests import is_whole_number
from .errors import ChangesExpiredError

Item = TypeVar("Item")


class WatchState(TypedDict):
    """Where a watch is. Its members are the client's own: keep it whole, as JSON."""

    of: str
    """The question."""
    since: int | None
    """None: a run asks for everything that matches."""
    version: int | None
    """The version of the dataset at the first page of the run that isn't over."""
    list: ListState | None
    """None: the run is over."""
    given: str
    """What was given: ids, each as its difference from the one before, in hexadecimal digits."""


OpenList = Callable[["int | None", "ListState | None"], ItemList[Any]]
"""Opens the list of what matches and is new since a version (None: of everything that matches), from a state."""


class Watch(Generic[Item]):
    """One run of a watch, by item (``for user in watch``) or by page (``watch.pages()``).

    Pass its ``state`` to the next run. It gives no item that this state, or one before it, has seen given. It costs and
    resumes as an ``ItemList`` does. After a run that the budget has stopped, the next one goes on with a budget of its own.
    """

    def __init__(self, open_list: OpenList, *, resume: WatchState | None, since: int | None) -> None:
        if since is not None and not is_whole_number(since):
            raise ValueError("since must be a version")
        first = open_list(None, None).state
        self._of = identify_list(first["url"]) if first else ""
        if resume is not None and not (_is_state(resume) and resume["of"] == self._of and since is None):
            raise ValueError("resume must be the state of a watch with the same filter, without since")
        self._open_list = open_list
        self._given: set[int] = set()
        self._text: list[str] = []
        """They as texts. It only grows, so each page costs little, however many there are."""
        self._last = 0
        for item_id in sorted(_read_ids(resume["given"] if resume else "")):
            self._add(item_id)
        self._since = resume["since"] if resume else since
        state = resume["list"] if resume else None
        self._version = resume["version"] if resume and state else None
        self._list = open_list(self._since, state)
        self._is_over = False

    def __reduce__(self) -> NoReturn:
        raise TypeError(NOT_PICKLED)

    @property
    def stopped_by(self) -> Literal["budget"] | None:
        """Why the run ended before everything new was read."""
        return self._list.stopped_by

    @property
    def spent(self) -> int:
        """What the run cost so far, in credits, before a crash too."""
        return self._list.spent

    @property
    def balance(self) -> int | None:
        """The balance of the key, in credits."""
        return self._list.balance

    @property
    def version(self) -> int | None:
        """The version of the dataset since which the next run asks; None: nothing is read yet."""
        return self._version

    @property
    def state(self) -> WatchState:
        """Where the watch is: after the item or page that was returned last."""
        state = self._list.state
        if state is not None and self.stopped_by:
            state["spent"] = state["paid"] = 0
        return {
            "of": self._of,
            "since": self._version if state is None else self._since,
            "version": self._version,
            "list": state,
            "given": " ".join(self._text),
        }

    def __iter__(self) -> Iterator[Item]:
        self._assert_not_over()
        return (item for item in self._read(lambda items: items) if self._take(item))

    def pages(self) -> Iterator[Page[Item]]:
        """Iterates the pages, with the new items of each. Some may have none."""
        self._assert_not_over()
        for page in self._read(lambda items: items.pages()):
            yield Page([item for item in page.items if self._take(item)], page.total)

    def _assert_not_over(self) -> None:
        if self._is_over:
            raise TypeError(READ_TWICE)

    def _read(self, iterate: Callable[[ItemList[Any]], Any]) -> Iterator[Any]:
        """Reads the list. If the version is too old, reads everything that matches: what was given isn't given again."""
        parts = iter(iterate(self._list))
        while True:
            try:
                part = next(parts, None)
            except ChangesExpiredError:
                if self._since is None:
                    raise
                old = self._list.state
                state = self._open_list(None, None).state
                if state is not None and old is not None:
                    # With the old key, a run that is repeated from the old state pays for no page twice.
                    old["url"] = state["url"]
                    state = old
                self._since = self._version = None
                self._list = self._open_list(None, state)
                parts = iter(iterate(self._list))
                continue
            if self._version is None:
                self._version = self._list.version
            if part is None:
                self._is_over = self._list.is_complete
                return
            yield part

    def _take(self, item: Any) -> bool:
        item_id: int = item["forge_rest_id"]
        if item_id in self._given:
            return False
        self._add(item_id)
        return True

    def _add(self, item_id: int) -> None:
        self._given.add(item_id)
        self._text.append(format(item_id - self._last, "x"))
        self._last = item_id


def _is_state(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("given"), str)
        and {"of", "since", "version", "list"} <= value.keys()
        and (value["list"] is None or is_list_state(value["list"]))
    )


def _read_ids(text: str) -> Iterator[int]:
    item_id = 0
    for difference in text.split():
        item_id += int(difference, 16)
        yield item_id
