"""Random Markdown for the tests of the workspace: made of the lines in which parsers of Markdown go wrong."""

from hypothesis import settings
from hypothesis import strategies as st

LENGTH = {"examples": 40}


def tries(times: int = 1) -> settings:
    """How long a property is tried: `times` the examples that the run asks for."""
    return settings(max_examples=times * LENGTH["examples"], deadline=None)


MARKERS = (
    "<!-- PALYRA:BEGIN facts -->",
    "<!-- PALYRA:BEGIN facts sha=0123456789abcdef -->",
    "<!-- PALYRA:BEGIN other -->",
    "<!-- PALYRA:ITEM one -->",
    "<!-- PALYRA:ITEM two -->  ",
    "<!-- PALYRA:END facts -->",
    "<!-- PALYRA:END other -->\t",
    "<!-- PALYRA:NOTE x -->",
    "<!--PALYRA:END facts-->",
    " <!-- palyra:end facts -->",
    "<!-- PALYRA:BEGIN facts",
)
OTHERS = (
    *("", "", "   ", "\t", "text", "more text  ", "# Heading", "## Two ##", "===", "---", "***", "- - -"),
    *("```", "````", "``` md", "~~~", "~~~~~ x", "  ```", "   ~~~", "    ```", "\t~~~", "``` a`b", "`````"),
    *("- item", "-", "- ```", "  in it", "1. one", "2) two", "14. no", "  - sub", "    deep", "+ plus", "-   wide"),
    *("> quote", "> ```", ">", "<!-- note -->", "<!--", "-->", "<!-- a <!-- b -->", "x <!-- y", "<!-->", "<!--->"),
    *("<div>", "</div>", "<pre>", "</pre>", "<script>", "</script>", "<?php", "?>", "<![CDATA[", "]]>", "<!DOCTYPE x>"),
    *(
        "<b>bold</b>",
        "<span>",
        "<x-y a='b'>",
        "[a]: http://example.test",
        "&lt;",
        "\u2028",
        "\x0b",
        "\ufeff",
        "é 漢 🙂",
    ),
    *("    <!-- PALYRA:END facts -->", "- <!-- PALYRA:END facts -->", "> <!-- PALYRA:ITEM one -->"),
    *("  <!-- PALYRA:ITEM three -->", "see <!-- PALYRA:BEGIN facts -->", "`<!-- PALYRA:END facts -->`"),
)
BREAKS = ("\n", "\n", "\r\n", "\r")


def documents(*, with_markers: bool, breaks: tuple[str, ...] = BREAKS) -> st.SearchStrategy[str]:
    """Texts with and without a byte order mark, a last line break, and one kind of line break or several."""
    line = st.sampled_from(OTHERS + MARKERS if with_markers else OTHERS) | st.text(max_size=8)
    mixed = st.lists(st.tuples(line, st.sampled_from(breaks)), max_size=24).map(
        lambda ls: "".join(a + b for a, b in ls)
    )
    even = st.tuples(st.lists(line, max_size=24), st.sampled_from(breaks)).map(lambda made: made[1].join(made[0]))
    return st.tuples(st.sampled_from(("", "", "\ufeff")), mixed | even).map("".join)
