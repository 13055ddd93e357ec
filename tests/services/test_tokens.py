"""API tokens: shown once, kept as a digest, good until they expire or are revoked, rebuilt from the journal."""

import asyncio
import secrets
from pathlib import Path

import pytest

from palyra.app import App
from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, Unauthenticated
from palyra.domain.access import Access, Capability
from palyra.domain.journal import Actor, EventFilter, Origin
from palyra.domain.tokens import TokenGrant, write_token
from palyra.services import backup
from palyra.services.erase import erase
from palyra.services.export import export_bundle
from palyra.services.tokens import NewToken
from palyra.store.upkeep.rebuild import find_drift
from support import ANA, an_app, files_holding, run

CAN = frozenset({Capability.READ, Capability.WRITE})


async def make(app: App, *, expires_at_ms: int | None = None, label: str = "") -> NewToken:
    grant = TokenGrant("user:ana", Actor.AGENT, ("discord:1",), CAN, label, expires_at_ms)
    return await app.tokens.create(grant, Origin("user:ana", Actor.OPERATOR))


async def is_good(app: App, text: str) -> bool:
    try:
        await app.tokens.authenticate(text)
    except Unauthenticated:
        return False
    return True


def test_a_token_is_its_grant_to_whoever_holds_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            made = await make(app, label="laptop")
            assert await app.tokens.authenticate(made.text) == made.token
            assert made.token.grant == TokenGrant("user:ana", Actor.AGENT, ("discord:1",), CAN, "laptop")

    run(work())


def test_no_file_backup_or_bundle_holds_a_token_or_its_secret(tmp_path: Path) -> None:
    async def work() -> str:
        async with an_app(tmp_path / "data") as app:
            text = (await make(app)).text
            await app.tokens.authenticate(text)
            await app.tokens.revoke((await make(app)).token.token_id, ANA)
            await export_bundle(app.store, app.journal, tmp_path / "bundle", lambda _done, _total: None)
            await backup.create(app.store, tmp_path / "backup", lambda _done, _total: None)
            assert files_holding(tmp_path, text.split("_", 2)[2]) == []
        return text

    text = run(work())
    assert (tmp_path / "bundle").exists()
    for part in (text, text.split("_", 2)[2], text.split("_", 2)[2][:20]):
        assert files_holding(tmp_path, part) == []


def test_what_lists_and_revokes_tokens_never_shows_one_again(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            made = await make(app)
            secret = made.text.split("_", 2)[2]
            assert secret not in repr(await app.tokens.list())
            assert secret not in repr(await app.tokens.revoke(made.token.token_id, ANA))
            assert secret not in repr(await app.journal.list(EventFilter()))

    run(work())


def test_every_wrong_token_gets_the_same_answer(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            made = await make(app)
            wrong_secret = write_token(made.token.token_id, secrets.token_urlsafe(32))
            unknown_id = made.text.replace(made.token.token_id, "01JD8QZ6T3M4N5P6Q7R8S9TABC")
            revoked = await make(app)
            await app.tokens.revoke(revoked.token.token_id, ANA)
            wrong_and_revoked = write_token(revoked.token.token_id, secrets.token_urlsafe(32))
            bodies = []
            for text in (wrong_secret, unknown_id, wrong_and_revoked):
                with pytest.raises(Unauthenticated) as caught:
                    await app.tokens.authenticate(text)
                bodies.append(caught.value.body())
            assert bodies[0] == bodies[1] == bodies[2]

    run(work())


def test_a_revoked_token_is_good_for_nothing_from_that_moment_on(tmp_path: Path) -> None:
    async def work() -> str:
        async with an_app(tmp_path) as app:
            one, other = await make(app), await make(app)
            assert await is_good(app, one.text)
            revoked = await app.tokens.revoke(one.token.token_id, ANA)
            assert revoked.revoked_at_ms is not None
            assert not await is_good(app, one.text)
            assert await is_good(app, other.text)
            size, _ = await app.journal.head()
            assert await app.tokens.revoke(one.token.token_id, ANA) == revoked
            assert (await app.journal.head())[0] == size
        return one.text

    text = run(work())

    async def later() -> None:
        async with an_app(tmp_path) as app:
            assert not await is_good(app, text)

    run(later())


def test_a_token_looked_up_while_it_is_revoked_is_not_remembered(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            for _ in range(60):
                made = await make(app)
                # Some of these read before the revocation is written, and get their answer after it.
                looks = [is_good(app, made.text) for _ in range(6)]
                await asyncio.gather(*looks[:3], app.tokens.revoke(made.token.token_id, ANA), *looks[3:])
                assert not await is_good(app, made.text)

    run(work())


def test_revoking_needs_a_token_that_exists(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            with pytest.raises(NotFound):
                await app.tokens.revoke("01JD8QZ6T3M4N5P6Q7R8S9TABC", ANA)
            with pytest.raises(InvalidArgument):
                await app.tokens.revoke("nonsense", ANA)

    run(work())


def test_a_token_expires_by_the_clock_also_when_it_is_remembered(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_app(tmp_path, clock) as app:
            made = await make(app, expires_at_ms=clock.now_ms() + 1_000)
            assert await is_good(app, made.text)
            clock.advance(999)
            assert await is_good(app, made.text)
            clock.advance(1)
            with pytest.raises(Unauthenticated, match="is expired"):
                await app.tokens.authenticate(made.text)

    run(work())


def test_tokens_survive_a_restart_and_a_rebuild_of_the_journal(tmp_path: Path) -> None:
    async def before() -> tuple[NewToken, NewToken]:
        async with an_app(tmp_path) as app:
            kept, revoked = await make(app, label="kept"), await make(app)
            await app.tokens.revoke(revoked.token.token_id, ANA)
        return kept, revoked

    kept, revoked = run(before())

    async def after() -> None:
        async with an_app(tmp_path) as app:
            listed = await app.tokens.list()
            assert await app.tokens.authenticate(kept.text) == kept.token
            digest_before, digest_after = await app.journal.rebuild(lambda _seq: None)
            assert digest_before == digest_after
            assert (await app.store.db.read(find_drift))[1] == []
            assert await app.tokens.list() == listed
        async with an_app(tmp_path) as app:
            assert await app.tokens.authenticate(kept.text) == kept.token
            assert not await is_good(app, revoked.text)

    run(after())


def test_what_makes_a_token_cannot_be_erased_from_the_journal(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            made = await make(app)
            [event] = await app.journal.list(EventFilter(kind="token.created"))
            with pytest.raises(FailedPrecondition):
                await erase(app.store, app.journal, [event.event_id], "asked for", ANA)
            assert await is_good(app, made.text)

    run(work())


def test_tokens_are_listed_page_by_page_also_to_a_reader(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            ids = [(await make(app)).token.token_id for _ in range(5)]
        async with an_app(tmp_path, access=Access.READ) as app:
            first = await app.tokens.list(limit=3)
            rest = await app.tokens.list(first[-1].token_id, 3)
            assert [token.token_id for token in (*first, *rest)] == ids
            for limit in (0, 501):
                with pytest.raises(InvalidArgument):
                    await app.tokens.list(limit=limit)

    run(work())
