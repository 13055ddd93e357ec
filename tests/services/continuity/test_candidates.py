"""What stands in a managed block once new statements come to it."""

import pytest

from palyra.domain.workspace.blocks import BlockItem
from palyra.language.wording import fingerprint
from palyra.services.continuity.candidates import _with_new
from palyra.services.continuity.withdrawing import ITEM_CHARS

OLD, NEW, OTHER = "The staging port is 5432.", "The staging port is 6543.", "My dog is called Bruno."


def item(text: str) -> BlockItem:
    return BlockItem(fingerprint(text)[:ITEM_CHARS], text)


@pytest.mark.parametrize(
    ("there", "said", "stands"),
    [
        ([OLD, OTHER], [OTHER.upper()], [OLD, OTHER]),
        ([OLD, OTHER], [NEW], [OTHER, NEW]),
        ([OLD], [NEW, OLD], [OLD]),
        ([], [OLD, NEW, OTHER], [NEW, OTHER]),
    ],
    ids=["said again", "contradicted", "changed and changed back", "within what is new"],
)
def test_what_contradicts_a_newer_statement_makes_way_and_what_is_said_again_stays(
    there: list[str], said: list[str], stands: list[str]
) -> None:
    assert [one.text for one in _with_new([item(text) for text in there], said)] == stands
