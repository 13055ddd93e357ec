"""The command as a person or a script meets it: a real process, real files, exit codes from the table."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from palyra.core.clock import SystemClock
from palyra.core.ids import UlidFactory
from shell import PALYRA, Shell
from support import notes_and_events, tamper


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data").begin()


def test_append_prints_seq_id_and_hash_and_repeats_by_id(shell: Shell) -> None:
    first = shell.json("journal", "append", "--kind", "note", '{"text":"hi"}')
    assert set(first) >= {"seq", "event_id", "hash"}
    again = [
        shell.json("journal", "append", "--kind", "note", "--id", first["event_id"], '{"text":"hi"}') for _ in range(2)
    ]
    assert {(one["seq"], one["hash"]) for one in again} == {(first["seq"], first["hash"])}
    report = shell.json("journal", "verify")
    assert (report["ok"], report["size"]) == (True, 1)
    assert report["root"]


def test_a_changed_byte_makes_verify_exit_8_and_name_the_seq(shell: Shell) -> None:
    notes_and_events(shell.home, 12)
    tamper(shell.home, "UPDATE journal_events SET principal = 'user:anb' WHERE seq = 7")
    result = shell("journal", "verify")
    assert result.returncode == 8
    assert b"seq 7" in result.stdout
    report = json.loads(shell("journal", "verify", "--json").stdout)
    assert (report["ok"], report["first_bad_seq"]) == (False, 7)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ("{", "invalid_argument"),
        ("[1]", "invalid_argument"),
        ('{"a": NaN}', "invalid_argument"),
        ('{"a": 1, "a": 2}', "invalid_argument"),
        ('{"a": ' + "[" * 5_000 + "]" * 5_000 + "}", "invalid_argument"),
        ('{"a": "\\ud800"}', "invalid_argument"),
        ('{"a": "' + "x" * 100_000 + '"}', None),
    ],
)
def test_a_payload_that_is_no_json_object_is_one_clear_error(shell: Shell, payload: str, code: str | None) -> None:
    if code is None:
        shell.json("journal", "append", "--kind", "note", payload)
        return
    shell.fails("journal", "append", "--kind", "note", payload, code=code, exit_code=2)
    assert shell.json("journal", "verify")["size"] == 0


def test_bad_input_from_stdin_is_one_clear_error(shell: Shell) -> None:
    append = ("journal", "append", "--kind", "note", "-")
    assert "UTF-8" in shell.fails(*append, code="invalid_argument", exit_code=2, stdin=b'{"a": "\xff"}')
    big = b'{"a": "' + b"x" * 300_000 + b'"}'
    assert "262144" in shell.fails(*append, code="too_large", exit_code=2, stdin=big)


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("journal", "append", "--kind", "Not A Kind", "{}"), "invalid_argument", 2),
        (("journal", "append", "--kind", "note", "--id", "123", "{}"), "invalid_argument", 2),
        (("journal", "append", "--kind", "note", "--actor", "ghost", "{}"), "invalid_argument", 2),
        (("journal", "append", "--kind", "journal.erased", "{}"), "invalid_argument", 2),
        (("journal", "append", "{}"), "invalid_argument", 2),
        (("journal", "append", "--kind", "note", "@/no/such/file"), "invalid_argument", 2),
        (("journal", "show", "nonsense"), "invalid_argument", 2),
        (("journal", "show", "7"), "not_found", 3),
        (("journal", "list", "--limit", "0"), "invalid_argument", 2),
        (("journal", "list", "--limit", "5000"), "invalid_argument", 2),
        (("journal", "prove"), "invalid_argument", 2),
        (("journal", "prove", "--from-size", "9"), "invalid_argument", 2),
        (("journal", "erase", "01KA0000000000000000000009"), "not_found", 3),
        (("journal", "verify", "--checkpoint", "/no/such/file"), "invalid_argument", 2),
        (("backup", "restore", "/no/such/directory"), "not_found", 3),
        (("backup", "verify", "/no/such/directory"), "not_found", 3),
        (("nonsense",), "invalid_argument", 2),
        (("journal", "list", "--after-seq", "100000000000000000000"), "invalid_argument", 2),
        (("journal", "list", "--since-ms", "-5"), "invalid_argument", 2),
        (("journal", "show", "99999999999999999999"), "invalid_argument", 2),
    ],
)
def test_wrong_use_has_the_code_of_the_table(
    shell: Shell, arguments: tuple[str, ...], code: str, exit_code: int
) -> None:
    shell.fails(*arguments, code=code, exit_code=exit_code)


def test_an_error_for_a_person_is_one_line_with_a_way_out(shell: Shell) -> None:
    result = shell("journal", "show", "7")
    assert result.stdout == b""
    assert (
        result.stderr.decode().strip() == "error: no event 7 in this journal  [not_found]   hint: palyra journal list"
    )


def test_errors_do_not_echo_secrets(shell: Shell) -> None:
    secret = "gh" + "p_" + "".join(UlidFactory(SystemClock()).next()[-12:] for _ in range(3))
    result = shell("journal", "show", secret)
    assert secret.encode() not in result.stderr


def test_a_truncated_tail_is_named_once_a_checkpoint_was_kept(shell: Shell, tmp_path: Path) -> None:
    notes_and_events(shell.home, 12)
    note = shell("journal", "checkpoint").stdout
    (tmp_path / "kept").write_bytes(note)
    tamper(
        shell.home,
        *(f"DELETE FROM {table} WHERE seq > 10" for table in ("journal_payloads", "journal_events", "notes")),
        "DELETE FROM journal_checkpoints",
    )
    (shell.home / "checkpoints.log").unlink()
    result = shell("journal", "verify", "--checkpoint", str(tmp_path / "kept"))
    assert result.returncode == 8
    assert b"seq 11: truncated" in result.stdout


def test_two_commands_at_the_same_moment_wait_for_each_other(shell: Shell) -> None:
    command = [*PALYRA, "journal", "append", "--kind", "note", '{"text":"at once"}', "--json"]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment)
        for _ in range(6)
    ]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    assert [process.returncode for process in running] == [0] * 6
    assert sorted(answer["seq"] for answer in answers) == [1, 2, 3, 4, 5, 6]


def test_show_list_tail_prove_and_doctor_answer_in_both_forms(shell: Shell) -> None:
    notes_and_events(shell.home, 5)
    assert shell.json("journal", "show", "3")["payload"] == {"text": "note number 3"}
    assert len(shell.json("journal", "list", "--limit", "2")["events"]) == 2
    lines = shell("journal", "tail", "--json").stdout.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 4, 5]
    assert shell.json("journal", "prove", "3")["leaf_index"] == 2
    assert shell.json("journal", "prove", "--from-size", "2")["from_size"] == 2
    assert shell.json("doctor")["ok"] is True
    for command in (("list",), ("show", "3"), ("tail",), ("prove", "3")):
        text = shell("journal", *command)
        assert text.returncode == 0
        assert text.stdout


def test_erase_rebuild_backup_and_restore_through_the_command(shell: Shell, tmp_path: Path) -> None:
    made = shell.json("journal", "append", "--kind", "note", '{"text":"zanzibarword"}')
    shell.json("backup", "create", str(tmp_path / "copy"))
    erased = shell.json("journal", "erase", made["event_id"])
    assert erased["erased"][0]["seq"] == made["seq"]
    assert not [path for path in shell.home.rglob("*") if path.is_file() and b"zanzibarword" in path.read_bytes()]
    rebuilt = shell.json("journal", "rebuild")
    assert rebuilt["state_digest_before"] == rebuilt["state_digest_after"]
    shell.fails("backup", "restore", str(tmp_path / "copy"), code="failed_precondition", exit_code=5)
    restored = shell.json("backup", "restore", str(tmp_path / "copy"), "--replace")
    assert restored["erased_again"] == 1
    assert not [path for path in shell.home.rglob("*") if path.is_file() and b"zanzibarword" in path.read_bytes()]
    assert shell.json("journal", "verify")["ok"] is True


def test_settings_come_from_file_environment_and_flag_and_say_so(shell: Shell) -> None:
    (shell.home / "palyra.toml").write_text('[memory]\ndefault_principal = "user:zoe"\n')
    shell.environment["PALYRA_JOURNAL_WRITE_BUDGET_MS"] = "40"
    shown = shell.json("config", "show", "--origin")
    assert shown["memory.default_principal"] == {"value": "user:zoe", "origin": str(shell.home / "palyra.toml")}
    assert shown["journal.write_budget_ms"] == {"value": 40, "origin": "environment PALYRA_JOURNAL_WRITE_BUDGET_MS"}
    shell.json("journal", "append", "--kind", "note", "{}")
    assert shell.json("journal", "show", "1")["principal"] == "user:zoe"


def test_every_problem_of_the_settings_is_named_at_once(shell: Shell) -> None:
    (shell.home / "palyra.toml").write_text(
        "[journal]\nwrite_budget_ms = 'soon'\nmax_payload_bytes = 99999999\nnope = 1\n"
    )
    result = shell("config", "check", "--json")
    assert result.returncode == 2
    problems = json.loads(result.stdout)["problems"]
    assert {problem["key"] for problem in problems} == {
        "journal.write_budget_ms",
        "journal.max_payload_bytes",
        "journal.nope",
    }
    message = shell.fails("journal", "list", code="invalid_argument", exit_code=2)
    assert str(shell.home / "palyra.toml") in message


def test_stored_text_cannot_steer_the_terminal(shell: Shell) -> None:
    shell.json("journal", "append", "--kind", "note", '{"text": "a\\u001b[2Jb \\u202e c"}')
    for command in (("list",), ("show", "1"), ("tail",)):
        output = shell("journal", *command).stdout.decode()
        assert "\x1b" not in output
        assert "\u202e" not in output


def test_a_changed_row_is_an_integrity_error_and_no_traceback(shell: Shell) -> None:
    notes_and_events(shell.home, 5)
    tamper(
        shell.home,
        "UPDATE journal_events SET actor = 'ghost' WHERE seq = 2",
        "UPDATE journal_payloads SET payload = x'ff' WHERE seq = 3",
    )
    assert "event 2" in shell.fails("journal", "show", "2", code="integrity", exit_code=8)
    assert "event 3" in shell.fails("journal", "show", "3", code="integrity", exit_code=8)


def test_a_checkpoint_file_that_cannot_be_written_stops_no_facts(shell: Shell, tmp_path: Path) -> None:
    shell.environment["PALYRA_JOURNAL_CHECKPOINT_FILE"] = str(tmp_path / "nowhere" / "notes")
    for seq in (1, 2):
        assert shell.json("journal", "append", "--kind", "note", "{}")["seq"] == seq
    shell.fails("journal", "checkpoint", code="unavailable", exit_code=6)
    assert shell("doctor").returncode == 8


def test_config_problems_do_not_print_secrets(shell: Shell) -> None:
    secret = "sk-" + "".join(UlidFactory(SystemClock()).next()[-12:] for _ in range(4))
    shell.environment["PALYRA_OPENAI_API_KEY"] = secret
    for arguments in (("config", "check"), ("config", "check", "--json"), ("journal", "list")):
        result = shell(*arguments)
        assert result.returncode == 2
        assert secret.encode() not in result.stdout + result.stderr


def test_help_is_shown_for_a_bare_command(shell: Shell) -> None:
    for arguments in ((), ("journal",)):
        result = shell(*arguments)
        assert result.returncode == 0
        assert b"Usage:" in result.stdout


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['palyra', '--help']\n"
        "from palyra.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'asyncio', 'msgspec', 'apsw', 'cryptography', 'palyra.app'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "journal" in result.stdout


def test_the_tour_runs_and_leaves_nothing_behind(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data")
    result = shell("tour")
    assert result.returncode == 0, result.stderr.decode()
    assert b"which city" in result.stdout
    assert b"ok: " in result.stdout
    assert not shell.home.exists()
