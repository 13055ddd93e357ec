"""The rule in Python and the rule in SQL are one rule."""

import apsw
from hypothesis import example, given
from hypothesis import strategies as st

from palyra.domain.scope import Everyone, Scope, Visibility
from palyra.store.visibility import visible_clause

ODD = (
    "user:a", "user:A", "user:ab", "user:a ", " user:a", "user: a", "user:a%", "user:_", "user:%", "%", "_", "*", "?",
    "user:a'", 'user:a"', "user:a' OR '1'='1", "user:a;--", "user:é", "user:e\u0301", "user:\u212b", "user:\u00c5",
    "NULL", "null", "None", "", "0", "00", "1", "1.0", "ı", "I", "i", "ß", "ss", "user:a\u200b", "a\\b", "a\\%",
)  # fmt: skip
names = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
places = st.none() | names


def sql_sees(seer: Visibility | Everyone, scope: Scope, alias: str) -> bool:
    connection = apsw.Connection(":memory:")
    try:
        connection.execute("CREATE TABLE rows (principal TEXT NOT NULL, channel TEXT, session_id TEXT) STRICT")
        connection.execute("INSERT INTO rows VALUES (?, ?, ?)", (scope.principal, scope.channel, scope.session_id))
        where, bindings = visible_clause(seer, alias)
        return bool(connection.execute(f"SELECT 1 FROM rows {alias} WHERE {where}", bindings).fetchall())
    finally:
        connection.close()


def agree(seer: Visibility, scope: Scope) -> bool:
    seen = seer.sees(scope)
    assert sql_sees(seer, scope, "") == sql_sees(seer, scope, "r") == seen
    return seen


@given(st.builds(Visibility, names, places, places), st.builds(Scope, names, places, places))
@example(Visibility("user:a", None), Scope("user:a", ""))
@example(Visibility("user:a", ""), Scope("user:a", None))
@example(Visibility("user:a", "", ""), Scope("user:a", "", ""))
def test_python_and_sql_agree_on_any_names(seer: Visibility, scope: Scope) -> None:
    agree(seer, scope)


def test_python_and_sql_agree_on_every_pair_of_odd_names() -> None:
    for one in ODD:
        for other in ODD:
            assert agree(Visibility(one), Scope(other)) == (one == other)
            assert agree(Visibility("p", one), Scope("p", other)) == (one == other)
            assert agree(Visibility("p", None, one), Scope("p", None, other)) == (one == other)
            assert agree(Visibility("p", one, other), Scope("p", one)) is True


def test_no_channel_is_not_an_empty_one() -> None:
    assert not agree(Visibility("p"), Scope("p", ""))
    assert agree(Visibility("p", ""), Scope("p"))
    assert not agree(Visibility("p", "", None), Scope("p", None, ""))


def test_everyone_is_everyone() -> None:
    assert sql_sees(Everyone(), Scope("p", "c", "s"), "")
