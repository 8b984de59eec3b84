"""A change of a note keeps every byte that it does not mean, whatever program wrote the note (R-COM-3, R-COM-4)."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scrubjay import Memory
from scrubjay.operations.editing import editing
from scrubjay.text import frontmatter
from scrubjay.vaults.documents import note as notes
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.revision import Revision

TODAY = Revision(today="2026-12-01", keywords=("walrus",), tags=("added",), summary="Walruses")
MEANT = ("modified", "last_updated", "token_count", "keywords", "tags", "summary", "- ")
NEW = "Walruses swim in cold water."


def _one_of(*values: str) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


FIELDS = (
    _one_of("", 'title: "Pools"', "title: Pools", "title:   'Pools: a cap'", "name: pools", "title: 池"),
    _one_of("", "created: 2026-01-02", "date: 2026-01-02", 'created: "2026-01-02T10:00:00Z"', "created:"),
    _one_of("", "modified: 2026-02-03", "last_updated: '2026-02-03'", "modified:", "modified: 2026-02-03 # by me"),
    _one_of(
        "", "tags: [PATTERN, db]", "tags:\n  - PATTERN\n  - db", "tags:\n- PATTERN", "tags: one, two", "tags: #a #b"
    ),
    _one_of("", "keywords: [pool, cap]", "keywords:\n- pool\n- cap", "keywords: []", "keywords: pool, cap"),
    _one_of("", "summary: Pools", 'summary: "Pools: a cap"', "summary: >-\n  Pools\n  and caps"),
    _one_of("", "token_count: 3", "retrieval_count: 4\nlast_retrieved:", "status: active"),
    _one_of("", "# a comment of mine", "rating:   5   # five", "cssclasses: [wide,  narrow]", "ключ: «да»", "x-y:\t1"),
    _one_of(
        "",
        "metadata:\n  type: project\n  modified: 2026-02-03",
        "metadata: \n    node: 1",
        "aliases:\n    - P\n    - Q",
    ),
)
LINES = st.sampled_from(
    [
        line.replace("|", "\n")
        for line in """
Use a pool.\x20\x20
\tindented
> [!warning]- Cap it
> > nested
priority:: high
- [x] done ^block-1
- [fact] Pools leak #db (seen)
- relates_to [[MEM-other]]
![[diagram.png|300]]
%% hidden %%
==marked==
```dataview|TABLE x|## Connections|```
~~~|---|~~~
<!-- a comment|## History -->
## Setup
### Deep ###
Setext|------
1. one|   1. two
Ёж, 池, café, \u00a0nbsp
$$x^2$$[^1]||[^1]: foot
---
#tag
<div>|html|</div>
back\\slash %s %b
""".split("\n")
    ]
)
ENDS = st.sampled_from(["", "\n", "\n\n", "\n## Connections\n- [[MEM-other]]  \n", "\n## Connections\n"])
_numbers = count()


@st.composite
def stored(draw: st.DrawFn) -> bytes:
    """A note as some program left it."""
    front = "\n".join(filter(None, draw(st.permutations([draw(field) for field in FIELDS]))))
    body = "\n".join(draw(st.lists(LINES, max_size=8)))
    heading = draw(st.sampled_from(["", "# Pools\n\n", "\n# Pools\n", "Pools\n=====\n"]))
    opened = f"---\n{front}\n---\n" if front and draw(st.booleans()) else ""
    text = f"{opened}{heading}{body}{draw(ENDS)}"
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return mark + text.replace("\n", newline).encode("utf-8")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(stored(), st.sampled_from(["update", "extend", "count"]))
@example(b"#tag\nSetext\n------", "update")
def test_r_com_4_a_change_keeps_what_it_does_not_mean(memory: Memory, tmp_path: Path, data: bytes, kind: str) -> None:
    store = next(iter(memory._stores))
    path = f"10-Memories/MEM-{next(_numbers)}.md"
    file = tmp_path / "vault" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    document = store.vault.read(path)
    before = notes.read(document)
    with editing(store, "test", "Changed a note") as edits:
        edits.replace(document, _changed(document.text, kind))
    after = file.read_bytes()
    _assert_kept(data, after, kind)
    again = notes.read(store.vault.read(path))
    assert (again.topic, again.created) == (before.topic, before.created)
    assert before.extra.keys() <= again.extra.keys()
    if kind != "update" or {"title", "name"} & frontmatter.parse(document.text).values.keys():
        assert again.title == before.title  # one that was a heading of the old body went with it
    assert set(before.tags) <= set(again.tags)
    memory.undo()
    assert file.read_bytes() == data


def _changed(text: str, kind: str) -> str:
    if kind == "update":
        return revision.update(text, NEW, TODAY)
    if kind == "extend":
        return revision.extend(text, NEW, TODAY, source="test")
    return frontmatter.set_values(text, {"retrieval_count": 7, "last_retrieved": "2026-12-01"})


def _assert_kept(before: bytes, after: bytes, kind: str) -> None:
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in before:
        assert after.count(b"\r\n") == after.count(b"\n")
    else:
        assert b"\r" not in after
    old, new = _parts(before), _parts(after)
    assert (old[0] is None) == (new[0] is None), "frontmatter is neither added nor taken away (R-COM-3)"
    if old[0] is not None and new[0] is not None:
        free = ("retrieval_count", "last_retrieved") if kind == "count" else MEANT
        _assert_within([line for line in old[0] if not _free(line, free)], new[0])
    if kind == "count":
        assert old[1] == new[1]
    elif kind == "extend":
        _assert_within(old[1], new[1])
    else:  # headings of the old body move down, below the history, those with a line under them become like the others
        _assert_within(_words(old[1]), _words(new[1]))


def _parts(data: bytes) -> tuple[list[str] | None, list[str]]:
    """The lines of the frontmatter, and those of the body that hold something."""
    text = data.decode("utf-8-sig")
    start = text.index("\n---", 3) + 1 if frontmatter.parse(text).present else 0
    front = text[:start].splitlines(keepends=True) if start else None
    return front, [line for line in text[start:].splitlines() if line.strip()]


def _free(line: str, names: tuple[str, ...]) -> bool:
    return line.strip().startswith(names) or line.startswith("  ")


def _words(lines: list[str]) -> list[str]:
    return sorted(word for word in " ".join(lines).split() if word.strip("#=-"))


def _assert_within(wanted: list[str], found: list[str]) -> None:
    place = iter(found)
    missing = [line for line in wanted if not any(line == other for other in place)]
    assert not missing, missing
