"""What the operations on the web console's door do."""

from palyra.api.call import Call
from palyra.api.handlers.binding import bind
from palyra.api.operating import console as api
from palyra.api.running import find_daemon
from palyra.core import limits
from palyra.core.errors import FailedPrecondition
from palyra.domain.journal import Actor, Origin
from palyra.services.console import LINK_MS
from palyra.store.upkeep.principals import places
from palyra.wire import console as wire


async def _link(call: Call, _request: wire.NewLink) -> wire.LoginLink:
    running = find_daemon(call.app.directory.root) if call.app.serving else None
    if running is None:
        raise FailedPrecondition("no daemon serves this data directory", hint="palyra serve")
    code = call.app.console.new_link_code()
    return wire.LoginLink(link=f"{running.http}/console/login?code={code}", expires_in_ms=LINK_MS)


async def _password(call: Call, request: wire.SetPassword) -> wire.PasswordSet:
    await call.app.console.set_password(request.password, Origin(call.caller.principal, Actor.OPERATOR))
    return wire.PasswordSet(is_set=request.password is not None)


async def _places(call: Call, _request: wire.ListPlaces) -> wire.Places:
    found = await call.app.store.db.read(lambda tx: places(tx, limits.PLACES))
    return wire.Places(places=[wire.Place(**one._asdict()) for one in found])


HANDLERS = (bind(api.link, _link), bind(api.password, _password), bind(api.places, _places))
