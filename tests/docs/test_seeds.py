"""docs/seeds.md says where each name of the seeds is: every file, name and test on it exists, and no name is left out.

A row whose seed's name is not the name here says so: its note begins with `another name` or `partly`.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from docs.pages import ROOT

PAGE = ROOT / "docs" / "seeds.md"
SEEDS = ROOT.parent / "shared" / "seeds"
NO_NAMES = "## What only looks like a name"
_ELSEWHERE = ("console/", "docs/", "schemas/", "tests/")
_TICKED = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"[\w./-]+(?:/|\.(?:py|sql|proto|ts|md))")
_CITED = re.compile(r"https?://\S+|(?:crates|apps)/[\w./#-]+")
_CODE = re.compile(
    r"palyra memory \w+"
    r"|palyra(?:\.\w+)+"
    r"|tape:\w+"
    r"|[A-Z]+\.md"
    r"|[A-Za-z]\w*_\w+"
    r"|\w*[a-z][A-Z]\w*"
)


@dataclass(frozen=True, slots=True)
class Row:
    seed: str
    here: str
    tests: str
    note: str

    @property
    def seed_names(self) -> list[str]:
        return _TICKED.findall(self.seed)


def rows_of(text: str) -> list[Row]:
    found = []
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith(("| seed |", "|---")):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            found.append(Row(*cells[:4], *[""] * (4 - len(cells))))
    return found


def faults(text: str) -> list[str]:
    """What a page says that is not so."""
    found = []
    for row in rows_of(text):
        places = list(_places(row.here))
        if not places:
            found.append(f"{row.seed}: no file")
        for path, name in places:
            if not _file(path).exists():
                found.append(f"{row.seed}: no file {path}")
            elif name and name not in names_in(_file(path)):
                found.append(f"{row.seed}: no {name} in {path}")
        found += [f"{row.seed}: no test {test}" for test in _TICKED.findall(row.tests) if not _is_test(test)]
        here = {_last(name) for _, name in places if name}
        is_same = all(_last(name) in here for name in row.seed_names)
        if row.tests and is_same == row.note.startswith(("another name", "partly")):
            found.append(f"{row.seed}: the note {row.note!r} does not fit the names here")
    return found


def _places(here: str) -> Iterator[tuple[str, str]]:
    """(path, name) for each name, (path, "") for a file or folder by itself."""
    path, is_named = "", True
    for ticked in _TICKED.findall(here):
        if _PATH.fullmatch(ticked) and (_file(ticked).exists() or "/" in ticked):
            if not is_named:
                yield path, ""
            path, is_named = ticked, False
        else:
            is_named = True
            yield path, ticked
    if not is_named:
        yield path, ""


def _file(path: str) -> Path:
    return ROOT / path if path.startswith(_ELSEWHERE) else ROOT / "src" / "palyra" / path


def _last(name: str) -> str:
    return name if name.endswith(".md") else re.split(r"[ .]", name)[-1]


@cache
def names_in(path: Path) -> frozenset[str]:
    """What a file defines, with its class or table before a dot; in Python its texts, too: operations, jobs, tools."""
    text = path.read_text("utf-8") if path.is_file() else ""
    match path.suffix:
        case ".py":
            return frozenset(_of_python(ast.parse(text)))
        case ".sql":
            return frozenset(_of_blocks(text, r"CREATE (?:VIRTUAL )?TABLE (\w+)[^(]*\((.*?)\)[^()]*;", r"^\s+(\w+) "))
        case ".proto":
            return frozenset(
                _of_blocks(text, r"^(?:message|service|enum) (\w+) \{(.*?)^\}", r"(\w+) = \d+;")
            ) | frozenset(re.findall(r"rpc (\w+)\(", text))
        case ".ts":
            return frozenset(re.findall(r"\b(?:function|const|class|interface|type) (\w+)", text))
        case _:
            return frozenset()


def _of_python(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    for statement in tree.body:
        yield from _defined(statement)
        if isinstance(statement, ast.ClassDef):
            yield from (f"{statement.name}.{name}" for part in statement.body for name in _defined(part))


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _of_blocks(text: str, block: str, part: str) -> Iterator[str]:
    for name, body in re.findall(block, text, re.DOTALL | re.MULTILINE):
        yield name
        yield from (f"{name}.{one}" for one in re.findall(part, body, re.MULTILINE))


def _is_test(named: str) -> bool:
    path, _, name = named.partition("::")
    if not (ROOT / path).is_file():
        return False
    tests = {one.rpartition(".")[2] for one in names_in(ROOT / path)}
    return name in tests if name else any(one.startswith("test_") for one in tests)


def left_out(page: str, seed: str) -> list[str]:
    """What looks like a name in a seed and is in no row. Some words of the seeds have run together: the names of the
    rows are cut out, and what is left must not look like a name."""
    known = {name for row in rows_of(page) for name in row.seed_names}
    known |= set(_TICKED.findall(page.partition(NO_NAMES)[2]))
    cut = re.compile("|".join(map(re.escape, sorted(filter(_CODE.fullmatch, known), key=len, reverse=True))))
    return [word for word in _CODE.findall(_CITED.sub(" ", seed)) if _CODE.search(cut.sub(" ", word))]


def test_every_file_name_and_test_of_the_page_exists() -> None:
    assert faults(PAGE.read_text("utf-8")) == []


def test_a_name_has_one_row() -> None:
    names = [name for row in rows_of(PAGE.read_text("utf-8")) for name in row.seed_names]
    assert len(names) > 80
    assert sorted(names) == sorted(set(names))


def test_every_row_of_a_name_has_a_test() -> None:
    assert [row.seed for row in rows_of(PAGE.read_text("utf-8")) if row.seed_names and not row.tests] == []


def test_no_name_of_the_seeds_is_left_out() -> None:
    seeds = sorted(SEEDS.glob("*.txt"))
    if not seeds:
        pytest.skip("the seeds are not here")
    page = PAGE.read_text("utf-8")
    assert {seed.name: left_out(page, seed.read_text("utf-8")) for seed in seeds} == {seed.name: [] for seed in seeds}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("| `App` | `gone.py` `App` | `tests/conftest.py` | |", "no gone.py"),
        ("| `App` | `services/gone/` | `tests/docs/test_seeds.py` | another name |", "no file services/gone/"),
        ("| `App` | | `tests/docs/test_seeds.py` | another name |", "no file"),
        ("| `Gone` | `app.py` `Gone` | `tests/docs/test_seeds.py` | |", "no Gone in app.py"),
        ("| `App` | `app.py` `App` | `tests/docs/test_seeds.py::test_gone` | |", "no test"),
        ("| `App` | `app.py` `App` | `tests/docs/model.py` | |", "no test"),
        ("| `Gateway` | `app.py` `App` | `tests/docs/test_seeds.py` | |", "does not fit"),
        ("| `App` | `app.py` `App` | `tests/docs/test_seeds.py` | another name |", "does not fit"),
        (
            "| x | `store/migrations/0001_journal.sql` `journal_events.gone` | `tests/docs/test_seeds.py` | |",
            "no journal_events.gone",
        ),
    ],
)
def test_a_row_that_is_not_so_is_found(row: str, fault: str) -> None:
    assert any(fault in one for one in faults(row)), faults(row)


def test_a_name_without_a_row_is_found_also_where_words_ran_together() -> None:
    page = "| `JournalStore` | `app.py` `App` | | |"
    assert left_out(page, "TheJournalStore keeps memory_items for palyra.memory.search") == [
        "memory_items",
        "palyra.memory.search",
    ]
