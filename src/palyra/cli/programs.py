"""How this installation's own programs are called from elsewhere: another terminal, a service, an agent's settings."""

import shlex
import shutil
import sys
from pathlib import Path


def place_of(program: str) -> Path | None:
    """By a path that stays over upgrades where there is one, such as a link in ~/.local/bin. None: it is a module."""
    ours = Path(sys.executable).with_name(program)
    found = shutil.which(program)
    for place in (Path(sys.argv[0]).absolute().with_name(program), *([Path(found)] if found else [])):
        if place.is_file() and place.resolve() == ours.resolve():
            return place
    return ours if ours.is_file() else None


def spelled(program: str = "palyra") -> str:
    """As a person types it in another terminal: by its name if that is found there, else in full and quoted."""
    place = place_of(program)
    if place is None:
        return f"{shlex.quote(sys.executable)} -m {program}"
    found = shutil.which(program)
    return program if found and Path(found).resolve() == place.resolve() else shlex.quote(str(place))


def from_elsewhere(data_dir: Path) -> str:
    """What to add to a command, so that it finds this memory where PALYRA_HOME is not set."""
    from palyra.settings import default_data_dir

    return "" if Path(default_data_dir()) == data_dir else f" --data-dir {shlex.quote(str(data_dir))}"
