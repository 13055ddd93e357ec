"""The daemon's log: a line per thing that happened, and no secret in it, whoever wrote the line."""

import json
import subprocess
import sys

import pytest

SECRET = "ghp_" + "a1B2c3D4e5" * 4
PROGRAM = """
import logging, sys
from palyra.transports import logs, observe
logs.configure("info", sys.argv[1])
secret = sys.argv[2]
observe.log.debug("unheard")
observe.log.info("request", operation="memory.search", path=f"/v1/{secret}", ms=1.5)
logging.getLogger("another.library").warning("could not parse %s", secret)
logging.getLogger("another.library").info("unheard")
try:
    raise ValueError(f"the key is {secret}")
except ValueError as error:
    observe.log.error("request.broke", exc_info=error)
    logging.getLogger("uvicorn.error").error("it broke with %s", secret, exc_info=error)
observe.log.info("two", text="one line\\nanother line")
"""


@pytest.mark.parametrize("style", ["json", "text"])
def test_no_secret_gets_into_the_log(style: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, style, SECRET], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    assert SECRET not in done.stderr
    assert "unheard" not in done.stderr
    assert done.stderr.count("ValueError") >= 2
    if style == "json":
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        assert [line["level"] for line in lines] == ["info", "warning", "error", "error", "info"]
        assert all("timestamp" in line for line in lines)
        assert lines[1]["event"].startswith("could not parse ")
        assert lines[-1]["text"] == "one line\nanother line"
