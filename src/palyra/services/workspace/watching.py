"""What a person saves becomes a revision at once: the folder is watched where the system can do that, and scanned.

The scan is the safety net. It comes every two seconds while nobody watches, and every half minute else. Watching that
ends, for whatever reason, is begun anew; until then the scan is back at its old pace.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeAlias

from palyra.core.errors import NotFound, PalyraError
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.sync import sync_everybody

log = logging.getLogger("palyra.workspace")

Listen: TypeAlias = Callable[[], AsyncGenerator[bool, None]]
"""True when something has changed, False to say that it still listens; Unavailable when it cannot"""

SCAN_WATCHED_SECONDS = 30.0
_RETRY_SECONDS = 10.0


async def watch(workspace: Workspace, listen: Listen, retry_seconds: float = _RETRY_SECONDS) -> None:
    """For as long as the process lives; ends only by being cancelled."""
    watching = workspace.watching
    while True:
        try:
            async with aclosing(listen()) as changes:
                async for has_changed in changes:
                    # With the first word, too: who was faster than the watcher is not kept waiting for the scan.
                    if has_changed or not watching.works:
                        await _sync(workspace)
                    watching.works, watching.why = True, ""
            why = "the watcher ended"
        except NotFound as error:
            why = error.message  # nobody has a document yet: that is no news
            watching.why = watching.why or why
        except PalyraError as error:
            why = error.message
        except Exception as error:  # a defect of the watcher must not take the scan's place
            log.exception("watching the workspace failed")
            why = f"unexpected {type(error).__name__}"
        if watching.works or why != watching.why:
            log.warning("workspace: %s", why)
        watching.works, watching.why = False, why
        await asyncio.sleep(retry_seconds)


async def look(workspace: Workspace) -> bool:
    """For a timer: scans everybody's folder, unless it is watched and was looked at not long ago."""
    watching = workspace.watching
    if watching.works and time.monotonic() - watching.looked_at < SCAN_WATCHED_SECONDS:
        return False
    await _sync(workspace)
    return True


async def _sync(workspace: Workspace) -> None:
    workspace.watching.looked_at = time.monotonic()
    await sync_everybody(workspace)
