"""What runs the console blocks: a wrong output does not get past it, and a right one does."""

from pathlib import Path

import pytest

from docs.checking import check
from docs.pages import blocks_of, unrun
from docs.placeholders import Names, is_same
from docs.running import printed_by

PAGE = """# A page

```console
$ palyra memory retain "My dog is called Biscuit"
stored <id1>
seq 1  hash <hash>…
$ DOG=Biscuit
$ ls nothing-here; echo "$DOG" of $(basename "$PWD")    # what an earlier command found
ls: cannot access 'nothing-here': No such file or directory
Biscuit of palyra
```

```console
$ while read -r -p "> " said; do echo "you said $said"; done; echo; read -r -p "sure? [y/N] " sure; echo "and $sure"
> Biscuit
you said Biscuit
> ^D
sure? [y/N] yes
and yes
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    return page


def test_a_page_that_says_what_is_so_passes(page: Path) -> None:
    check(page, write=False)


def test_a_page_with_one_wrong_output_fails_and_the_message_shows_line_and_difference(page: Path) -> None:
    page.write_text(PAGE.replace("you said Biscuit", "you said Waffles"), "utf-8")
    with pytest.raises(AssertionError, match="make docs") as failed:
        check(page, write=False)
    told = str(failed.value)
    assert "line 14: $ while read" in told
    assert "-you said Waffles" in told
    assert "+you said Biscuit" in told
    assert told.count(": $ ") == 1, "what is right is not reported"


def test_writing_a_page_mends_what_was_wrong_and_nothing_else(page: Path) -> None:
    page.write_text(PAGE.replace("stored <id1>\n", "").replace("seq 1  hash", "seq 2  hash"), "utf-8")
    check(page, write=True)
    assert page.read_text("utf-8") == PAGE


def test_a_value_that_is_no_placeholder_is_compared() -> None:
    names = Names()
    first, second = "01M7H3H26VAWK1RFC9ZDFK4HA4", "01M7H3H36C5VTEGJ8THPSSRJ95"
    assert names.shown(f"stored {first}") == "stored <id1>"
    assert names.shown(f"{second} supersedes {first}") == "<id2> supersedes <id1>"
    assert names.shown('{"memory_id": "01M7H3H26VA…') == '{"memory_id": "<id>…'
    assert names.shown("job  2026-11-16 10:31:04  4 ms   due 2026-12-01") == (
        "job  <time>               <duration>   due <date>"
    )
    assert names.shown("root UBJfhZKp1w2iV/jyiNjTsBAxL1lbrciBT2gyiZL+qgM=, hash f87d3529e0cc2d4c…") == (
        "root <hash>, hash <hash>…"
    )
    assert names.shown("every 10 s, at most 60 s, 3.2 ms") == "every 10 s, at most 60 s, <duration>"
    assert names.shown("3 hits, 0.51, seq 12, 5432") == "3 hits, 0.51, seq 12, 5432"
    assert not is_same("3 hits", "4 hits")
    assert not is_same("stored <id1>", "stored <id2>")
    assert not is_same("one\ntwo", "one")
    assert is_same("seq 1     hash", "seq 1  hash"), "columns may be as wide as they like"


def test_a_command_goes_on_after_a_backslash_and_to_the_end_of_a_text_that_is_handed_in() -> None:
    (block,) = blocks_of("```console fixture=daemon,model\n$ cat \\\n  a\nb\n$ cat <<'EOF'\nc\nEOF\nc\n```\n")
    assert block.fixtures == ("daemon", "model")
    assert [(step.command, step.printed) for step in block.steps] == [
        ("cat \\\n  a", "b"),
        ("cat <<'EOF'\nc\nEOF", "c"),
    ]


def test_a_block_may_say_why_it_is_not_run_and_programs_and_indented_commands_count_as_well() -> None:
    assert unrun("```sh not run: it takes somebody's key\npalyra serve\n```\n") == []
    assert unrun("```sh not run:\npalyra serve\n```\n") == ["palyra serve"], "a reason is given"
    assert unrun("```python\nimport palyra\n```\n") == ["import palyra"]
    assert unrun("So:\n\n    palyrad --port 0\n\n```console\n$ true\n```\n\n    $ palyra status\n") == [
        "    palyrad --port 0",
        "    $ palyra status",
    ]


def test_what_stays_knows_what_was_exported_and_makes_way_for_the_next() -> None:
    page = """```console
$ palyra serve --json
$ export PALYRA_DAEMON_GRPC_PORT=-1
$ palyra serve --json
$ palyra status --json
```
"""
    (_, first), _, (_, second), (_, status) = printed_by(page)
    assert '"grpc":"127.0.0.1:7443"' in first
    assert '"grpc":""' in second
    assert '"serving":true' in status


def test_a_command_in_a_block_that_is_not_run_is_found() -> None:
    assert unrun("```sh\npalyra status\n```\n```\n$ palyra demo\ngit log | palyra chat -c\n```\n") == [
        "palyra status",
        "$ palyra demo",
        "git log | palyra chat -c",
    ]
    assert unrun("```toml\n[daemon]\n```\n```console\n$ palyra status\n```\n") == []
