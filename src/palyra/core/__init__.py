"""Plain building blocks: standard library only, no knowledge of the product above."""
