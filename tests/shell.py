"""The command as a person or a script meets it: a real process, real files, exit codes from the table."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from palyra.core.clock import SystemClock
from palyra.store.journal_store import JournalStore

PALYRA = [sys.executable, "-m", "palyra"]


class Shell:
    def __init__(self, home: Path) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PALYRA_")}
        self.environment = {**kept, "PALYRA_HOME": str(home), "COLUMNS": "120"}

    def begin(self) -> Self:
        """An empty store: what only looks makes none."""
        JournalStore.open_owner(self.home, SystemClock()).close()
        return self

    def __call__(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*PALYRA, *arguments], input=stdin, capture_output=True, env=self.environment, check=False, timeout=120
        )

    def json(self, *arguments: str) -> Any:
        result = self(*arguments, "--json")
        assert result.returncode == 0, result.stderr.decode()
        return json.loads(result.stdout)

    def fails(self, *arguments: str, code: str, exit_code: int, stdin: bytes = b"") -> str:
        result = self(*arguments, "--json", stdin=stdin)
        assert result.returncode == exit_code, (result.stdout, result.stderr)
        assert b"Traceback" not in result.stderr
        error = json.loads(result.stderr)["error"]
        assert error["code"] == code, error
        return str(error["message"])
