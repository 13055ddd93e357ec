"""The house rules that a reviewer should not have to remember."""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from palyra.domain.events import EVENTS
from palyra.settings import _KEYS
from palyra.store.projections import PROJECTORS, TABLES

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "palyra"
SOURCES = sorted(SRC.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

FILE_LINES, TEST_LINES, FUNCTION_LINES = 600, 800, 70
EXEMPT: frozenset[str] = frozenset()
"""starts empty and may only shrink"""

NAMED_TWICE = {
    "Known": "what ingest and what reading know already: each is said only beside its own module",
    "Memory": "the services' own, and an item as MCP clients see it, where the name is part of the schema",
    "Recall": "in the domain, and the request of it, whose name is part of the schema",
    "Refusal": "of MCP and of merging back, whose names are part of their schemas",
    "Restored": "of a backup and of a memory: answers whose names are part of the schema",
}
"""class names that stand in `src` more than once, and why; may only shrink"""

FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA\s+\w+)\b", re.DOTALL
)


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_files_stay_short() -> None:
    long = [f"{p.relative_to(ROOT)}" for p in SOURCES if len(p.read_text("utf-8").splitlines()) > FILE_LINES]
    long += [f"{p.relative_to(ROOT)}" for p in TESTS if len(p.read_text("utf-8").splitlines()) > TEST_LINES]
    assert set(long) <= EXEMPT


def test_functions_stay_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in SOURCES
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    ]
    assert set(long) <= EXEMPT


def test_no_module_is_named_for_nothing_in_particular() -> None:
    assert not [path for path in SOURCES if path.stem in FORBIDDEN_NAMES or path.parent.name in FORBIDDEN_NAMES]


def test_a_class_name_is_used_once_but_for_a_few_with_their_reasons() -> None:
    named = Counter(
        node.name
        for path in SOURCES
        if "generated" not in path.parts
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, uses in named.items() if uses > 1} <= set(NAMED_TWICE)
    assert len(NAMED_TWICE) <= 8


def test_packages_stay_small() -> None:
    for directory in {path.parent for path in SOURCES}:
        assert len(list(directory.glob("*.py"))) <= 18, directory


def test_nothing_big_and_no_data_is_committed() -> None:
    told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    files = [ROOT / name for name in told.stdout.decode().split("\0") if name]
    assert not [str(file) for file in files if file.exists() and file.stat().st_size > 1 << 20]
    assert not [str(file) for file in files if file.suffix in {".db", ".key", ".pem"} or file.name.endswith("-wal")]


def test_every_module_says_what_it_is_for() -> None:
    assert not [str(path) for path in SOURCES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]


def _strings(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_sql_is_only_in_store() -> None:
    outside = [path for path in SOURCES if "store" not in path.relative_to(SRC).parts]
    assert not [str(path) for path in outside for text in _strings(path) if SQL.search(text)]


def test_transactions_are_passed_on_and_not_used_outside_store() -> None:
    outside = [path for path in SOURCES if "store" not in path.relative_to(SRC).parts]
    assert not [str(path) for path in outside if re.search(r"\.execute(many)?\(", path.read_text("utf-8"))]


def test_the_environment_is_read_only_by_settings() -> None:
    readers = [path for path in SOURCES if re.search(r"os\.(environ|getenv)", path.read_text("utf-8"))]
    assert readers == [SRC / "settings.py"]


def test_a_clock_is_read_only_where_time_comes_from() -> None:
    wall = re.compile(r"\btime\.time(_ns)?\(|datetime\.now|utcnow|date\.today")
    assert [path for path in SOURCES if wall.search(path.read_text("utf-8"))] == [SRC / "core" / "clock.py"]


def test_every_event_of_the_product_has_a_projector() -> None:
    assert {event.KIND for event in EVENTS} == set(PROJECTORS)


PROJECTOR_MODULES = [
    SRC / "store" / name
    for name in (
        "projector.py",
        "projections.py",
        "notes.py",
        "erasures.py",
        "memory/projector.py",
        "memory/candidates.py",
        "memory/search.py",
        "tokens.py",
        "sessions/projector.py",
        "sessions/search.py",
        "sessions/attachments.py",
        "workspace/projector.py",
        "workspace/search.py",
        "continuity/projector.py",
        "cron/projector.py",
        "jobs/projector.py",
        "learning/projector.py",
        "upkeep/principals.py",
    )
]
IMPURE_IMPORTS = {
    "time",
    "datetime",
    "random",
    "secrets",
    "uuid",
    "os",
    "asyncio",
    "palyra.core.clock",
    "palyra.core.ids",
}
IMPURE_SQL = re.compile(r"random\(|randomblob|'now'|CURRENT_|date\(|time\(|last_insert_rowid|changes\(", re.IGNORECASE)


def test_projectors_read_no_clock_and_no_randomness() -> None:
    """The same event and the same rows must always give the same rows: that is what replay rests on."""
    for path in PROJECTOR_MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not {alias.name for alias in node.names} & IMPURE_IMPORTS, path
            if isinstance(node, ast.ImportFrom) and node.module in IMPURE_IMPORTS:
                assert {alias.name for alias in node.names} <= {"EventId", "MemoryId", "CandidateId"}, path
        assert not [text for text in _strings(path) if IMPURE_SQL.search(text)], path


def test_every_module_with_a_projector_is_checked_for_purity() -> None:
    stores = (SRC / "store").rglob("*.py")
    holders = [path for path in stores if re.search(r"^\w*PROJECTORS?\b.* = ", path.read_text("utf-8"), re.MULTILINE)]
    assert set(holders) <= set(PROJECTOR_MODULES)


def test_every_projection_has_a_seq_column_and_is_named_once() -> None:
    schema = "".join(path.read_text("utf-8") for path in sorted((SRC / "store" / "migrations").glob("*.sql")))
    for table in TABLES:
        body = schema.split(f"CREATE TABLE {table} (")[1].split("STRICT")[0]
        assert re.search(r"^\s+seq\s", body, re.MULTILINE), table


@pytest.mark.parametrize("key", sorted(_KEYS))
def test_every_setting_is_documented(key: str) -> None:
    assert f"`{key}`" in (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")


def test_every_command_is_documented() -> None:
    import click

    from palyra.cli.main import COMMANDS, cli

    text = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        subcommands = command.commands if isinstance(command, click.Group) else {"": command}
        for sub in subcommands:
            assert f"palyra {name} {sub}".strip() in text


def test_every_decision_record_is_listed() -> None:
    records = sorted(path.name for path in (ROOT / "docs" / "adr").glob("0*.md"))
    index = (ROOT / "docs" / "adr" / "README.md").read_text("utf-8")
    assert records
    assert not [name for name in records if name not in index]


def test_lock_files_name_no_registry() -> None:
    for path in ROOT.glob("requirements*.lock"):
        text = path.read_text("utf-8")
        assert "--hash=sha256:" in text
        assert "://" not in text
        assert "index-url" not in text
