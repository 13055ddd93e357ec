"""A bundle fetched line by line is the bundle that lies on the disk, and a stranger can verify it."""

import subprocess
import sys
from pathlib import Path

from palyra.api import dispatch
from palyra.api import journal as api
from palyra.api.call import Call, owner
from palyra.wire.journal import AppendEvent, ExportJournal, StreamBundle
from support import an_app, run

VERIFIER = Path(__file__).parents[2] / "verifier" / "palyra_verify.py"


def test_the_streamed_bundle_is_the_exported_one_and_verifies(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app(tmp_path / "data") as app:
            call = Call(app, owner("user:ana"))
            for number in range(1_203):
                await dispatch.run(call, api.append, AppendEvent(kind="note", payload={"text": f"line {number} “ß”"}))
            files: dict[str, str] = {}
            async for part in dispatch.stream(call, api.bundle, StreamBundle()):
                files[part.file] = files.get(part.file, "") + part.line + "\n"
            await dispatch.run(call, api.export, ExportJournal(path=str(tmp_path / "exported")))
            streamed = tmp_path / "streamed"
            streamed.mkdir()
            for name, text in files.items():
                (streamed / name).write_text(text, "utf-8")
            exported = tmp_path / "exported"
            assert (streamed / "events.jsonl").read_bytes() == (exported / "events.jsonl").read_bytes()

    run(story())
    for directory in ("streamed", "exported"):
        done = subprocess.run([sys.executable, str(VERIFIER), str(tmp_path / directory)], check=False, timeout=60)
        assert done.returncode == 0, directory
