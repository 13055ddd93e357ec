"""What a service manager is told: a unit for systemd, a property list for launchd. Text alone, no file is touched."""

import plistlib
from pathlib import Path

MARK = "# Written by palyra service install; palyra service remove takes it away."
LABEL = "local.palyra.palyrad"
REFUSED = "2 4 5"
"""exit codes of what stays wrong until a person changes it: starting again and again would not help"""


def systemd_unit(command: list[str]) -> bytes:
    return f"""{MARK}
[Unit]
Description=Palyra, the memory of record for AI agents

[Service]
Type=exec
ExecStart={_for_systemd(command)}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus={REFUSED}
UMask=0077

[Install]
WantedBy=default.target
""".encode()


def launchd_list(command: list[str], log: Path) -> bytes:
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": command,
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 10,
            "Umask": 0o077,
            "StandardErrorPath": str(log),
        }
    )


def _for_systemd(command: list[str]) -> str:
    """Each part in quotes. `%` and, but for the program, `$` mean something to systemd unless they stand twice."""
    program, *arguments = (part.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") for part in command)
    return " ".join(f'"{part}"' for part in (program, *(argument.replace("$", "$$") for argument in arguments)))
