"""What only some need comes with an extra of the package; here are the words that say how to get one."""

import shlex
import sys
from importlib.util import find_spec


def how_to_add(extra: str) -> str:
    """A command that works in the environment this runs in, if that has a pip of its own."""
    pip = f"{shlex.quote(sys.executable)} -m pip" if find_spec("pip") else "pip"
    return f"{pip} install 'palyra[{extra}]'"
