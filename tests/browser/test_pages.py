"""Each page's main path, and text that wants to be more than text."""

import re
import secrets

from msgspec import to_builtins
from playwright.sync_api import expect

from browser.visitor import Visitor, candidate
from palyra.wire.external import ExternalObjective

HOSTILE = (
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> [click](javascript:window.hacked=1)'
    " ![seen](https://pictures.example/pixel.png) <svg onload=window.hacked=1>"
)


def retain(visitor: Visitor, text: str, **more: object) -> str:
    return str(visitor.asks("POST", "/v1/memory/items", {"text": text, **more})["memory_id"])


def test_memory_is_found_with_the_reasons_for_its_rank(visitor: Visitor) -> None:
    retain(visitor, "The lighthouse keeper is called Aldo")
    visitor.goes_to("#/memory")
    visitor.page.get_by_role("searchbox", name="Search memory").fill("who keeps the lighthouse?")
    hit = visitor.page.get_by_role("link", name=re.compile("lighthouse keeper"))
    expect(hit).to_contain_text(re.compile(r"0\.\d\d"))
    expect(hit).to_contain_text(re.compile(r"(vector|lexical|context) 0\.\d\d"))
    assert "q=who+keeps+the+lighthouse" in visitor.page.url
    visitor.page.reload()
    hit.click()
    expect(visitor.page.get_by_role("heading", name="History")).to_be_visible()
    expect(visitor.page.locator("main")).to_contain_text("stored by user")


def test_memory_is_filtered_by_trust_before_it_is_counted_out_in_pages(visitor: Visitor) -> None:
    visitor.asks(
        "POST", "/v1/memory/items", {"text": "The gull nests on the roof", "trust": "agent", "source": "summary"}
    )
    items = [{"text": f"The gull number {number} flew by", "trust": "owner"} for number in range(150)]
    visitor.asks("POST", "/v1/memory/items/batch", {"items": items})
    visitor.goes_to("#/memory?trust=agent")
    page = visitor.page
    listed = page.get_by_role("region", name="Memories")
    expect(listed).to_contain_text("nests on the roof")
    expect(listed).not_to_contain_text("flew by")
    page.get_by_role("searchbox", name="Search memory").fill("gull")
    found = page.get_by_role("region", name="Found")
    expect(found).to_contain_text("nests on the roof")
    expect(found).not_to_contain_text("flew by")


def test_a_search_goes_back_to_what_was_known_then(visitor: Visitor) -> None:
    retain(visitor, "The harbour master is called Rui")
    then = visitor.asks("GET", "/v1/journal/status")["size"]
    retain(visitor, "The harbour has eleven berths")
    visitor.goes_to(f"#/memory?q=harbour&at={then}")
    expect(visitor.page.get_by_role("link", name=re.compile("called Rui"))).to_be_visible()
    expect(visitor.page.get_by_role("link", name=re.compile("eleven berths"))).to_have_count(0)


def test_a_memory_is_corrected_pinned_forgotten_and_erased_with_a_certificate(visitor: Visitor) -> None:
    memory_id = retain(visitor, "The ferry leaves at nine")
    visitor.goes_to(f"#/memory/{memory_id}")
    page = visitor.page
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    page.get_by_role("button", name="Correct").click()
    page.get_by_role("textbox", name="Text").fill("The ferry leaves at ten")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("listitem").filter(has_text="corrected in the console")).to_contain_text("at ten")
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("textbox", name="Why").fill("asked for")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Erase for good").click()
        page.get_by_role("button", name="Save the certificate").click()
    assert memory_id in saved.value.suggested_filename
    found = visitor.asks("POST", "/v1/memory/search", {"query": "The ferry leaves at ten"})["hits"]
    assert not [hit for hit in found if "ferry" in hit["item"]["text"]]
    assert visitor.asks("POST", "/v1/journal/verify", {})["ok"]


def test_two_memories_that_contradict_each_other_stand_side_by_side(visitor: Visitor) -> None:
    retain(visitor, "Marta is allergic to shellfish")
    second = retain(visitor, "Marta is not allergic to shellfish")
    visitor.goes_to(f"#/memory/{second}")
    expect(visitor.page.get_by_role("heading", name="Contradictions")).to_be_visible()
    visitor.page.get_by_role("button", name="This one holds").click()
    expect(visitor.page.get_by_text("Settled: this one holds.")).to_be_visible()


def test_what_waits_is_approved_and_rejected_by_one_key_each(visitor: Visitor) -> None:
    for text in ("The page says that the pier closes at six", "The page says that the pier is made of oak"):
        visitor.asks("POST", "/v1/memory/items", {"text": text, "source": "tape:tool_result", "trust": "web"})
    visitor.goes_to("#/review")
    page = visitor.page
    expect(page.locator("main li[aria-current]")).to_have_count(1)
    waiting = page.locator("main").get_by_role("button", name=re.compile("^Approve"))
    before = waiting.count()
    page.keyboard.press("a")
    page.keyboard.press("r")  # before there is an answer to the first
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    expect(waiting).to_have_count(before - 2)
    page.keyboard.press("u")
    expect(waiting).to_have_count(before - 1)


def test_a_decision_about_a_held_text_is_taken_back(visitor: Visitor) -> None:
    page = visitor.page
    text = "The page says that the quay was paved in 1902"
    visitor.asks("POST", "/v1/memory/items", {"text": text, "source": "tape:tool_result", "trust": "web"})
    visitor.goes_to("#/review")
    card = candidate(page, "the quay was paved")
    for decision in ("Reject", "Approve"):
        card.get_by_role("button", name=decision).click()
        expect(card).to_have_count(0)
        page.get_by_role("status").get_by_role("button", name="Undo").click()
        expect(card).to_have_count(1)
    hits = visitor.asks("POST", "/v1/memory/search", {"query": "when was the quay paved"})["hits"]
    assert not [hit for hit in hits if "quay" in hit["item"]["text"]]


def test_a_schedule_is_made_run_and_deleted(visitor: Visitor) -> None:
    visitor.goes_to("#/jobs")
    page = visitor.page
    page.get_by_role("button", name="New schedule").first.click()
    page.get_by_label("Name").fill("morning")
    page.get_by_label("What is said").fill("What is planned for today?")
    page.get_by_label("When").fill("not a schedule")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("When").fill("0 8 * * *")
    page.get_by_role("button", name="Create").click()
    job = page.get_by_role("listitem").filter(has_text="What is planned for today?")
    job.get_by_role("button", name="Run now").click()
    expect(page.get_by_role("link", name="what came of it")).to_be_visible()
    job.get_by_role("button", name="Delete").click()
    job.get_by_role("button", name="Yes, delete it").click()
    expect(job).to_have_count(0)


def test_the_journal_is_followed_verified_and_proved(visitor: Visitor) -> None:
    visitor.goes_to("#/journal?live=true")
    word = secrets.token_hex(4)
    first = visitor.page.get_by_role("region", name="Events, newest first").get_by_role("link").first
    expect(first).to_be_visible()
    visitor.asks("POST", "/v1/journal/events", {"kind": "note", "payload": {"text": f"seen {word}"}})
    event = visitor.page.get_by_role("link", name=re.compile(word))
    expect(event).to_be_visible()
    event.click()
    detail = visitor.page.get_by_role("complementary", name="Event")
    expect(detail).to_contain_text(word)
    detail.get_by_role("button", name="Prove that it is there").click()
    expect(detail).to_contain_text("anybody who has the signed root")
    visitor.page.get_by_role("button", name="Verify everything").click()
    expect(visitor.page.get_by_text("All is well")).to_be_visible(timeout=30_000)
    visitor.page.get_by_role("button", name="Sign it now").click()
    expect(visitor.page.get_by_text("Keep this note somewhere else")).to_be_visible()
    saved: list[str] = []
    visitor.page.on("download", lambda file: saved.append(file.suggested_filename))
    with visitor.page.expect_download(lambda file: file.suggested_filename == "manifest.json"):
        visitor.page.get_by_role("button", name="Save a copy").click()
    assert {"events.jsonl", "manifest.json"} <= set(saved)


def test_a_document_is_edited_compared_and_brought_back(visitor: Visitor) -> None:
    visitor.goes_to("#/workspace/README.md?view=edit")
    page = visitor.page
    editor = page.get_by_role("textbox", name="Text of README.md")
    before = editor.input_value()
    editor.fill(f"{before}\nBe **brief**.\n")
    page.reload()
    expect(editor).to_have_value(f"{before}\nBe **brief**.\n")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator("strong", has_text="brief")).to_be_visible()
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="Changes").first.click()
    expect(page.get_by_role("figure", name="Changes")).to_contain_text("+Be **brief**.")
    page.get_by_role("button", name="Restore").first.click()
    expect(page.get_by_role("cell", name="r3", exact=True)).to_be_visible()


def test_a_document_that_somebody_else_wrote_meanwhile_is_not_written_over(visitor: Visitor) -> None:
    visitor.goes_to("#/workspace/MEMORY.md?view=edit")
    page = visitor.page
    editor = page.get_by_role("textbox", name="Text of MEMORY.md")
    editor.fill("mine\n")
    visitor.asks("POST", "/v1/workspace/document", {"path": "MEMORY.md", "text": "theirs\n"})
    expect(page.get_by_text("while you were editing")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    expect(editor).to_have_value("mine\n")
    page.get_by_role("button", name="Write mine over it").click()
    expect(page.get_by_text("while you were editing")).to_be_hidden()
    assert visitor.asks("GET", "/v1/workspace/document?path=MEMORY.md")["text"] == "mine\n"


def test_a_point_is_marked_compared_and_branched_from(visitor: Visitor) -> None:
    visitor.tells("trip", "We go to Porto in May")
    visitor.goes_to("#/continuity/trip")
    page = visitor.page
    page.get_by_role("textbox", name="Name of the point").fill("before Porto")
    page.get_by_role("button", name="Mark this point").click()
    point = page.get_by_role("listitem").filter(has_text="before Porto")
    visitor.tells("trip", "We go to Faro instead")
    point.get_by_role("button", name="Compare with now").click()
    expect(point).to_contain_text("We go to Faro instead")
    point.get_by_role("button", name="Open a branch from here").click()
    expect(visitor.turns).to_have_count(1)
    expect(visitor.turns.last).to_contain_text("We go to Porto in May")


def test_a_branch_brings_its_documents_back_and_asks_where_both_changed_them(visitor: Visitor) -> None:
    path = "daily/plan.md"
    document = "/v1/workspace/document"
    visitor.asks("POST", document, {"path": path, "text": "# Plan\n\nBy train.\n"})
    visitor.tells("plan", "We plan the journey")
    point = visitor.asks("POST", "/v1/chat/sessions/plan/checkpoints", {"name": "plan"})
    made = visitor.asks("POST", f"/v1/chat/checkpoints/{point['checkpoint_id']}/restore", {})["session"]
    visitor.asks("POST", document, {"path": path, "text": "# Plan\n\nBy boat.\n", "line": made["session_id"]})
    visitor.asks("POST", document, {"path": path, "text": "# Plan\n\nBy bus.\n"})
    visitor.goes_to(f"#/continuity/{made['key']}")
    page = visitor.page
    page.get_by_role("button", name="Bring the documents back").click()
    conflict = page.get_by_role("listitem").filter(has_text=path)
    expect(conflict).to_contain_text("By boat.")
    expect(conflict).to_contain_text("By bus.")
    expect(page.get_by_role("button", name="Write it so")).to_be_disabled()
    conflict.get_by_role("radio", name="This branch's").click()
    page.get_by_role("button", name="Write it so").click()
    expect(page.get_by_text("Brought back: 1 document written")).to_be_visible()
    assert "boat" in visitor.asks("GET", f"{document}?path={path}")["text"]


def test_a_block_that_was_changed_by_hand_is_repaired(visitor: Visitor) -> None:
    text = "# Notes\n\n<!-- PALYRA:BEGIN facts sha=0123456789abcdef -->\n- mine\n<!-- PALYRA:END facts -->\n"
    visitor.asks("POST", "/v1/workspace/document", {"path": "daily/block.md", "text": text})
    visitor.goes_to("#/workspace/daily/block.md")
    expect(visitor.page.get_by_text("The block facts was changed by hand")).to_be_visible()
    visitor.page.get_by_role("button", name="Keep what stands there").click()
    expect(visitor.page.get_by_text("was changed by hand")).to_be_hidden()
    assert visitor.asks("GET", "/v1/workspace/document?path=daily/block.md")["edited_blocks"] == []


def test_a_long_conversation_is_condensed_after_it_was_shown_how(visitor: Visitor) -> None:
    for number in range(9):
        visitor.tells("condensed", f"My cousin number {number} is called Rosa{number} and lives at {number} Mill Lane")
    visitor.goes_to("#/continuity/condensed")
    page = visitor.page
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.get_by_role("region", name="The summary")).to_contain_text("Rosa")
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text(re.compile(r"\d+ messages, .* tokens, .* in sight"))).to_be_visible()


def test_the_status_says_how_everything_is(visitor: Visitor) -> None:
    for text in ("The lighthouse keeper is called Nuno", "The orchard was sold in May"):
        retain(visitor, text)
    visitor.goes_to("#/status")
    for text in ("offline", "a write takes", "Memory of user:local", "By category"):
        expect(visitor.page.locator("main")).to_contain_text(text)
    expect(visitor.page.get_by_role("img", name=re.compile("memories now"))).to_be_visible()


def test_the_status_shows_an_engine_elsewhere_only_where_there_is_one(visitor: Visitor) -> None:
    late = ExternalObjective(name="freshness", target=60_000, value=61_000, unit="ms", is_floor=False, is_met=False)
    found = {**visitor.asks("GET", "/v1/memory/external"), "provider": "pgvector", "state": "down", "pending": 7}
    visitor.goes_to("#/status")
    main = visitor.page.locator("main")
    expect(main).to_contain_text("Memory of user:local")
    expect(main).not_to_contain_text("Engine")
    visitor.page.route("**/v1/memory/external", lambda route: route.fulfill(json=found))
    found["objectives"] = [to_builtins(late)]
    visitor.page.reload()
    expect(main).to_contain_text("Engine pgvector")
    expect(main).to_contain_text("7 memories wait")
    expect(main).to_contain_text(re.compile("freshness ?61 s at most 60 s missed"))


def test_hostile_text_stays_text_everywhere(visitor: Visitor) -> None:
    """The page's own errors, and whatever it asks of the net, fail the test."""
    memory_id = retain(visitor, f"Hostile {HOSTILE}")
    visitor.tells("hostile", f"Remember {HOSTILE}")
    visitor.asks("PATCH", "/v1/chat/sessions/hostile", {"title": HOSTILE[:190]})
    visitor.asks("POST", "/v1/workspace/document", {"path": "daily/hostile.md", "text": f"# {HOSTILE}\n\n{HOSTILE}\n"})
    visitor.goes_to("#/chat/hostile")
    expect(visitor.turns.last).to_contain_text("<script>")
    for place in (
        f"#/memory/{memory_id}",
        "#/memory?q=hostile",
        "#/workspace/daily/hostile.md",
        "#/journal",
    ):
        visitor.goes_to(place)
        expect(visitor.page.locator("main")).to_contain_text("onerror")
    visitor.goes_to("#/workspace/daily/hostile.md")
    expect(visitor.page.locator("[data-blocked=image]").first).to_contain_text("picture, not loaded")
    visitor.page.keyboard.press("Control+k")
    expect(visitor.page.get_by_role("option", name=re.compile("onerror")).first).to_be_visible()
    assert visitor.page.evaluate("window.hacked") is None
    assert visitor.page.locator("a[href^='javascript']").count() == 0
