"""What was dropped, filled in or is doubtful: nothing vanishes without a line here.

A finding has a stable ``code`` (for scripts), a count, a few examples and a sentence that says what was done about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Finding", "Findings"]

_EXAMPLES = 3


class Finding:
    """One kind of doubt, with its count and first examples.

    >>> print(Finding("topics-without-ranking", 2, ["q17", "q23"], "scored as empty lists"))
    topics-without-ranking: 2 (q17, q23), scored as empty lists
    """

    __slots__ = ("code", "count", "examples", "text")

    def __init__(self, code: str, count: int, examples: Iterable[object] = (), text: str = "") -> None:
        self.code = code
        self.count = int(count)
        self.examples = tuple(str(e) for _, e in zip(range(_EXAMPLES), examples, strict=False))
        self.text = text

    def __str__(self) -> str:
        more = ", …" if self.count > len(self.examples) else ""
        examples = f" ({', '.join(self.examples)}{more})" if self.examples else ""
        return f"{self.code}: {self.count:,}{examples}{', ' if self.text else ''}{self.text}"

    def __repr__(self) -> str:
        return f"Finding({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, int, tuple[str, ...], str]:
        return self.code, self.count, self.examples, self.text


class Findings(Sequence[Finding]):
    """An ordered collection of findings; the same one is kept once.

    >>> f = Findings(); f.add("nan-scores", 3, ["a.run:7"], "ranked last"); len(f), "nan-scores" in f.codes
    (1, True)
    """

    def __init__(self, items: Iterable[Finding] = ()) -> None:
        self._items: list[Finding] = list(dict.fromkeys(items))

    def add(self, code: str, count: int, examples: Iterable[object] = (), text: str = "") -> None:
        """Note a finding; a count of 0 is no finding."""
        if count:
            self.extend([Finding(code, count, examples, text)])

    def extend(self, items: Iterable[Finding]) -> None:
        """Take over the findings of an earlier stage."""
        self._items = list(dict.fromkeys([*self._items, *items]))

    @property
    def codes(self) -> frozenset[str]:
        """The codes present."""
        return frozenset(f.code for f in self._items)

    def __getitem__(self, i):  # type: ignore[no-untyped-def]
        return self._items[i]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._items)

    def __str__(self) -> str:
        return "\n".join(map(str, self._items))

    def __repr__(self) -> str:
        return f"Findings({self._items!r})"
