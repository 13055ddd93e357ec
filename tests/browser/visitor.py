"""Somebody who uses the console: the few things every test does."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from e2e.palyrad import Daemon


class Visitor:
    def __init__(self, daemon: Daemon, page: Page) -> None:
        self.daemon = daemon
        self.page = page

    def link(self) -> str:
        """A way in that works once."""
        return str(self.asks("POST", "/v1/console/link", {})["link"])

    def sign_in(self, place: str = "") -> None:
        self.page.goto(f"{self.link()}{place}")
        expect(self.page.get_by_role("navigation", name="Pages")).to_be_visible()

    def goes_to(self, place: str) -> None:
        self.page.goto(f"{self.daemon.http}/console/{place}")

    def asks(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """As the owner, beside the browser."""
        with self.daemon.client() as client:
            answer = client.request(method, path, json=body)
            assert answer.status_code == 200, answer.text
            return answer.json()

    def tells(self, session: str, text: str) -> list[dict[str, Any]]:
        """A turn from outside, and what it states is remembered by then."""
        with self.daemon.client() as client:
            answer = client.post(f"/v1/chat/sessions/{session}/messages/stream", json={"text": text, "create": True})
            client.post("/v1/learning/reflect", json={})
            return [json.loads(line) for line in answer.text.splitlines()]

    # -- the chat

    @property
    def message(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message")

    @property
    def turns(self) -> Locator:
        return self.page.locator("article[data-run]")

    def says(self, text: str) -> None:
        self.message.fill(text)
        self.message.press("Enter")

    def says_and_hears(self, text: str, answer: str) -> None:
        self.says(text)
        last = self.turns.last
        expect(last).to_contain_text(answer)
        expect(last).to_have_attribute("data-state", "done")


def candidate(page: Page, text: str) -> Locator:
    """The card of that text: others may name it among what they are like."""
    return page.locator(f"main li[data-chosen]:has(> p:has-text('{text}'))")
