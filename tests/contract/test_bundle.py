"""What we export, a program that knows nothing of us accepts; what somebody changed, it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from palyra.core.hashing import GENESIS, event_hash, header_names, payload_commitment
from palyra.domain.journal import Actor, EventDraft, Origin, RequestKey
from palyra.services.erase import erase
from palyra.services.export import export_bundle
from support import ANA, a_note, an_app, an_event, run

VERIFIER = Path(__file__).parents[2] / "verifier" / "palyra_verify.py"


def verify_bundle(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(VERIFIER), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bundle")

    async def work() -> None:
        async with an_app(root / "data") as app:
            origin = Origin("user:çağrı 日本", Actor.AGENT, "discord:1", "s", "r")
            await app.journal.append(EventDraft("note", {"text": 'quotes " and \\ and\nlines \u2028 😀'}, origin, 7))
            await app.journal.append(a_note("asked once"), RequestKey("req-1", b"d" * 32))
            doomed = await app.journal.append(a_note("to be erased"))
            await app.journal.checkpoint()
            for n in range(600):
                await app.journal.append(an_event(n))
            await erase(app.store, app.journal, [doomed.event_id], "asked for", ANA)
            await export_bundle(app.store, app.journal, root / "out", lambda _done, _total: None)

    run(work())
    return root / "out"


def test_the_second_verifier_accepts_our_bundle(bundle: Path) -> None:
    result = verify_bundle(bundle)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("ok: 604 events")


def test_a_checkpoint_kept_elsewhere_is_accepted_and_a_longer_one_is_not(bundle: Path, tmp_path: Path) -> None:
    assert verify_bundle(bundle, "--checkpoint", bundle / "checkpoints.log").returncode == 0

    async def shorter() -> None:
        async with an_app(bundle.parent / "data") as app:
            await app.journal.append(a_note("later"))
            _, note = await app.journal.checkpoint()
            (tmp_path / "note").write_text(note)

    run(shorter())
    result = verify_bundle(bundle, "--checkpoint", tmp_path / "note")
    assert result.returncode == 8
    assert "truncated" in result.stdout


@pytest.mark.parametrize("name", ["manifest.json", "events.jsonl", "checkpoints.log"])
@pytest.mark.parametrize("share", [0.0, 0.17, 0.5, 0.83, 0.999])
def test_a_flipped_byte_is_refused_and_located(bundle: Path, tmp_path: Path, name: str, share: float) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in bundle.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    data = bytearray((copy / name).read_bytes())
    position = int(len(data) * share)
    data[position] ^= 1
    (copy / name).write_bytes(data)
    result = verify_bundle(copy)
    assert result.returncode in (2, 8)
    assert name.split(".", maxsplit=1)[0] in result.stdout + result.stderr
    if name == "events.jsonl":
        line = data[:position].count(b"\n") + 1
        assert f"line {line}" in result.stdout


def test_an_export_does_not_overwrite_what_is_there(bundle: Path) -> None:
    async def again() -> None:
        async with an_app(bundle.parent / "data") as app:
            await export_bundle(app.store, app.journal, bundle, lambda _done, _total: None)

    with pytest.raises(Exception, match="not empty"):
        run(again())


def test_the_example_bundle_of_the_format_page_verifies_and_its_values_are_the_ones_printed_there() -> None:
    docs = VERIFIER.parents[1] / "docs"
    result = verify_bundle(docs / "example-bundle")
    assert result.returncode == 0, result.stdout
    page = (docs / "journal-format.md").read_text("utf-8")
    first = json.loads((docs / "example-bundle" / "events.jsonl").read_text("utf-8").splitlines()[0])
    names = (first[name] for name in ("kind", "actor", "principal", "channel", "session_id", "run_id"))
    encoded = header_names(*(None if name is None else name.encode() for name in names), None, None)
    commitment = payload_commitment(bytes.fromhex(first["salt"]), first["payload"].encode())
    times = first["occurred_at_ms"], first["recorded_at_ms"]
    computed = event_hash(1, first["v"], *times, first["event_id"].encode(), encoded, commitment, GENESIS)
    assert commitment.hex() == first["commitment"]
    assert computed.hex() == first["hash"]
    assert f"commitment   {commitment.hex()}" in page
    assert f"hash         {computed.hex()}" in page
