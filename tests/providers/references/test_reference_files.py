"""Files are read below the roots and nowhere else, whatever a path looks like."""

import json
import os
import random
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PalyraError, PermissionDenied
from palyra.providers.references import confined
from palyra.providers.references.files import ReferenceFiles
from palyra.providers.references.ignored import IgnoreRules

CASES = Path(__file__).parents[4] / "shared" / "cases" / "paths.jsonl"
CANARY = "the canary sings outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a bit of everything, beside a canary that nobody may read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("x.md", "canary.md", "passwd"):
        (outside / name).write_text(CANARY)
    (tmp_path / "x.md").write_text(CANARY)
    root = tmp_path / "root"
    (root / "notes" / "deep").mkdir(parents=True)
    (root / "notes" / "x.md").write_text("inside x")
    (root / "notes" / "a b.md").write_text("inside a b")
    (root / "README.md").write_text("read me")
    for secret in (".env", ".env.local", "id_rsa", "server.pem", "tls.key"):
        (root / secret).write_text(CANARY)
    for folder in (".git", ".ssh"):
        (root / folder).mkdir()
        (root / folder / "config").write_text(CANARY)
    (root / "link_out.md").symlink_to(outside / "canary.md")
    (root / "link_dir").symlink_to(outside)
    (root / "link_nowhere").symlink_to(tmp_path / "nothing_here")
    (root / "link_env").symlink_to(".env")
    (root / "link_in.md").symlink_to("notes/x.md")
    (root / "loop").symlink_to("loop")
    os.link(outside / "x.md", root / "second_name.md")
    os.mkfifo(root / "pipe")
    return root


def test_a_file_is_read_by_its_path_below_a_root(root: Path) -> None:
    files = ReferenceFiles([root])
    for target in ("notes/x.md", "./notes//x.md", str(root / "notes" / "x.md"), "link_in.md"):
        read = files.read(target, 100)
        assert (read.path, read.text, read.whole, read.warnings) == ("notes/x.md", "inside x", True, ())
    assert files.read("notes/a b.md", 100).text == "inside a b"


def test_the_first_root_that_has_it_wins(root: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "only.md").write_text("in the second")
    (second / "README.md").write_text("not this one")
    files = ReferenceFiles([root, second])
    assert files.read("only.md", 100).text == "in the second"
    assert files.read("README.md", 100).text == "read me"


def test_a_root_may_itself_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert ReferenceFiles([tmp_path / "alias"]).read(f"{tmp_path}/alias/notes/x.md", 100).text == "inside x"


REFUSED = [
    "../x.md",
    "notes/../README.md",
    "/etc/passwd",
    "link_out.md",
    "link_dir/x.md",
    "link_dir/nothing",
    "link_nowhere",
    "link_env",
    ".env",
    ".ENV",
    ".env.local",
    ".env ",
    ".env.",
    ".ｅnv",
    ".e\u200bnv",
    ".git/config",
    ".GIT/config",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".ssh/config",
    "notes/.ssh/none",
    "id_rsa",
    "server.pem",
    "SERVER.PEM",
    "tls.key",
    "second_name.md",
    "pipe",
    "loop",
    "notes/．．/．．/x.md",
    "notes/‥/x.md",
    "notes/x.md\0.png",
    "notes/\nx.md",
    "..\\x.md",
    "x" * 300,
    "\ud800",
]


@pytest.mark.parametrize("target", REFUSED)
def test_what_is_refused_is_refused_in_the_same_words(root: Path, target: str) -> None:
    files = ReferenceFiles([root])
    with pytest.raises(PermissionDenied, match="not open to references") as refused:
        files.read(target, 100)
    assert str(refused.value).replace(repr(target[:200]), "") == " is not open to references"


@pytest.mark.parametrize("target", [".env", "link_dir/x.md", "../x.md", "/etc/passwd", "link_out.md"])
def test_a_refusal_does_not_tell_whether_something_is_there(root: Path, tmp_path: Path, target: str) -> None:
    def answer() -> tuple[type[Exception], str]:
        with pytest.raises(PalyraError) as refused:
            ReferenceFiles([root]).read(target, 100)
        return type(refused.value), str(refused.value)

    there = answer()
    for path in (tmp_path / "outside" / "x.md", tmp_path / "outside" / "canary.md", tmp_path / "x.md", root / ".env"):
        path.unlink()
    assert answer() == there


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("", InvalidArgument),
        ("  ", InvalidArgument),
        ("a/" * 3_000, InvalidArgument),
        ("notes", InvalidArgument),
        (".", InvalidArgument),
        ("notes/none.md", NotFound),
        ("notes/%2e%2e/x.md", NotFound),
        ("~/x.md", NotFound),
    ],
)
def test_what_is_no_file_is_one_clear_error(root: Path, target: str, error: type[PalyraError]) -> None:
    with pytest.raises(error):
        ReferenceFiles([root]).read(target, 100)


def test_what_is_closed_is_not_read_though_it_lies_below_a_root(root: Path) -> None:
    data = root / "notes" / "data"
    data.mkdir()
    (data / "secret.txt").write_text(CANARY)
    (root / "way_in").symlink_to(data)
    files = ReferenceFiles([root], [data])
    for target in ("notes/data/secret.txt", "notes/data/none", "notes/data", "way_in/secret.txt"):
        with pytest.raises(PermissionDenied):
            files.read(target, 100)
    assert "data" not in [entry.name for entry in files.entries("notes")]
    folder = files.list(".", 20, 10_000)
    assert "notes/x.md" in (*folder.shown, *folder.others)
    assert CANARY not in folder.text
    assert "secret" not in folder.text


def test_without_roots_the_error_names_the_setting() -> None:
    with pytest.raises(FailedPrecondition) as refused:
        ReferenceFiles([]).read("a.md", 100)
    assert "workspace.reference_roots" in refused.value.hint


def test_a_socket_is_no_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        with pytest.raises(PermissionDenied):
            ReferenceFiles([root]).read("sock", 100)


def test_a_link_put_there_between_the_look_and_the_opening_leads_nowhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ReferenceFiles([root])
    resolve = confined._resolve

    def resolve_then_swap(*arguments: object) -> confined.ConfinedPath | None:
        place = resolve(*arguments)  # type: ignore[arg-type]
        (root / "notes").rename(tmp_path / "moved")
        (root / "notes").symlink_to(tmp_path / "outside")
        return place

    monkeypatch.setattr(confined, "_resolve", resolve_then_swap)
    with pytest.raises(PermissionDenied):
        files.read("notes/x.md", 100)


def test_a_file_that_becomes_a_link_is_not_followed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ReferenceFiles([root])
    check = confined._check_regular

    def check_then_swap(status: os.stat_result, place: confined.ConfinedPath) -> None:
        check(status, place)
        (root / "notes" / "x.md").unlink(missing_ok=True)
        (root / "notes" / "x.md").symlink_to(tmp_path / "outside" / "x.md")

    monkeypatch.setattr(confined, "_check_regular", check_then_swap)
    with pytest.raises(PermissionDenied):
        files.read("notes/x.md", 100)


def test_only_the_beginning_of_a_huge_file_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (root / "huge.txt").open("wb") as file:
        file.write("ä".encode() * 10_000)
        file.truncate(1 << 40)
    taken: list[int] = []
    read = os.read
    monkeypatch.setattr(os, "read", lambda fd, most: taken.append(most) or read(fd, most))  # type: ignore[func-returns-value]
    text = ReferenceFiles([root]).read("huge.txt", 1_000)
    assert text.text == "ä" * 1_000
    assert not text.whole
    assert text.size_bytes == 1 << 40
    assert sum(taken) < 20_000


@pytest.mark.parametrize(
    ("data", "text", "warns"),
    [
        ("plain é".encode(), "plain é", False),
        (b"\xef\xbb\xbfmarked", "marked", False),
        ("sixteen é".encode("utf-16"), "sixteen é", False),
        ("caf\xe9".encode("latin-1"), "café", True),
        (b"", "", False),
    ],
)
def test_text_is_decoded_and_doubt_is_said(root: Path, data: bytes, text: str, warns: bool) -> None:
    (root / "t.txt").write_bytes(data)
    read = ReferenceFiles([root]).read("t.txt", 100)
    assert read.text == text
    assert bool(read.warnings) is warns


def test_a_binary_file_is_refused(root: Path) -> None:
    (root / "b.bin").write_bytes(b"\x89PNG\0\0\0")
    with pytest.raises(InvalidArgument, match="not a text file"):
        ReferenceFiles([root]).read("b.bin", 100)


def test_no_descriptor_is_left_open(root: Path) -> None:
    files = ReferenceFiles([root])
    before = len(list(Path("/proc/self/fd").iterdir()))
    for target in [*REFUSED, "notes/x.md", "notes", "notes/x.md/deeper", "none/none"]:
        sing(files, target)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_folder_shows_the_readme_first_and_then_what_is_near_and_small(root: Path) -> None:
    (root / "zz.md").write_text("z")
    (root / "big.md").write_text("b" * 3_000)
    folder = ReferenceFiles([root]).list(".", 3, 10_000)
    assert folder.shown == ("README.md", "zz.md", "big.md")
    assert "other files: " in folder.text
    assert set(folder.others) == {"notes/x.md", "notes/a b.md", "second_name.md"}
    assert "--- README.md ---\nread me" in folder.text
    assert CANARY not in folder.text
    assert "the text of 3 of 6 files is shown" in folder.warnings


def test_a_folder_text_keeps_to_its_limit(root: Path) -> None:
    for number in range(300):
        (root / "notes" / f"{number}.md").write_text("word " * 900)
    folder = ReferenceFiles([root]).list("notes", 6, 5_000)
    assert len(folder.text) <= 5_000
    assert len(folder.shown) <= 6
    assert len(folder.shown) + len(folder.others) == 302


def test_a_secret_in_a_folder_is_masked_even_where_its_file_is_cut(root: Path) -> None:
    key = "ghp_" + "".join(random.Random(1).choices("ABCDEFGHabcdefgh0123456789", k=36))
    (root / "deep").mkdir()
    for number in range(40):
        (root / "deep" / f"{number}.txt").write_text("y" * (440 + number) + f" {key} " + "z" * 3_000)
    for number in range(40):
        (root / "one").mkdir(exist_ok=True)
        for old in (root / "one").iterdir():
            old.unlink()
        (root / "deep" / f"{number}.txt").rename(root / "one" / "a.txt")
        text = ReferenceFiles([root]).list("one", 6, 1_000).text
        assert key[:12] not in text


def test_ignore_files_rule_their_folders_and_the_nearest_has_the_last_word(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nbuild/\n/notes/deep/only_here.txt\n")
    (root / ".palyraignore").write_text("private*\n")
    (root / "notes" / ".gitignore").write_text("!keep.log\n")
    for path in ("a.log", "build/out.txt", "private.md", "notes/keep.log", "notes/b.log", "notes/deep/only_here.txt",
                 "notes/deep/c.md"):  # fmt: skip
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("x")
    files = ReferenceFiles([root])
    whole = files.list(".", 20, 10_000)
    assert {
        path for path in (*whole.shown, *whole.others) if path.endswith((".log", ".txt", "private.md", "c.md"))
    } == {
        "notes/keep.log",
        "notes/deep/c.md",
    }
    below = files.list("notes/deep", 20, 10_000)
    assert (*below.shown, *below.others) == ("c.md",)
    assert {entry.name for entry in files.entries(".")} >= {"README.md", "notes"}
    assert not {entry.name for entry in files.entries(".")} & {"build", "a.log", "private.md", ".env", ".git"}


def test_a_pattern_that_would_take_for_ever_is_not_followed(root: Path) -> None:
    (root / ".gitignore").write_text("a*a*a*a*a*a*a*a*a*a*a*b\n[\n*.log\n")
    (root / ("a" * 200)).write_text("x")
    (root / "x.log").write_text("x")
    started = time.thread_time()
    folder = ReferenceFiles([root]).list(".", 6, 10_000)
    assert time.thread_time() - started < 5
    assert "a" * 200 in (*folder.shown, *folder.others)
    assert "x.log" not in (*folder.shown, *folder.others)
    assert any("not followed" in warning for warning in folder.warnings)


def test_rules_of_no_file_ignore_nothing() -> None:
    assert not IgnoreRules().ignores(("a", "b"), is_folder=False)


def test_entries_are_names_and_sizes_and_nothing_that_is_refused(root: Path) -> None:
    entries = ReferenceFiles([root]).entries(".")
    assert [(entry.name, entry.is_folder, entry.size_bytes) for entry in entries if "second" not in entry.name] == [
        ("notes", True, 0),
        ("README.md", False, 7),
    ]


def test_a_file_is_no_folder(root: Path) -> None:
    with pytest.raises(InvalidArgument, match="is a file"):
        ReferenceFiles([root]).list("README.md", 6, 1_000)
    with pytest.raises(PermissionDenied):
        ReferenceFiles([root]).entries("link_dir")


def test_a_folder_without_end_is_given_up(root: Path) -> None:
    deep = root
    for _ in range(30):
        deep /= "d"
        deep.mkdir()
        (deep / "f.txt").write_text("x")
    folder = ReferenceFiles([root]).list("d", 2, 1_000)
    assert 10 < len(folder.shown) + len(folder.others) < 20


NAMES = (
    ".. . / \\ notes x.md link_dir link_out.md outside root canary.md .env .git config ．． ． ~ loop passwd README.md"
)
PIECES = [*NAMES.split(), "\0", "\u200b", " ", "%2e%2e", "second_name.md"]


def shared_paths() -> list[str]:
    """Only the part that is there to develop against."""
    if not CASES.exists():
        return []
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    return [row["text"] for row in rows if row["part"] == "dev"]


def sing(files: ReferenceFiles, target: str) -> str:
    """All that can be had by a path."""
    heard: list[str] = []
    with suppress(PalyraError):
        heard.append(files.read(target, 1_000).text)
    with suppress(PalyraError):
        heard.append(files.list(target, 6, 5_000).text)
    with suppress(PalyraError):
        heard += [entry.name for entry in files.entries(target)]
    return " ".join(heard)


def test_no_mutated_path_escapes_the_root(root: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    files, dice = ReferenceFiles([root]), random.Random(5)
    seeds = [*REFUSED, *shared_paths(), str(tmp_path / "outside" / "x.md"), str(root / "notes" / "x.md")]
    heard = 0
    for _ in range(pytestconfig.getoption("--fuzz-inputs")):
        target = dice.choice(seeds) if dice.random() < 0.5 else ""
        for _ in range(dice.randrange(1, 6)):
            at = dice.randrange(len(target) + 1)
            target = target[:at] + dice.choice(["", "/"]) + dice.choice(PIECES) + target[at + dice.randrange(3) :]
        text = sing(files, target)
        assert CANARY not in text, target
        heard += "inside x" in text or "read me" in text
    assert heard > 0, "no path led anywhere: the test would prove nothing"


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
def test_no_path_of_the_shared_cases_escapes_the_root(root: Path) -> None:
    paths = shared_paths()
    assert paths
    for target in paths:
        assert CANARY not in sing(ReferenceFiles([root]), target), target
