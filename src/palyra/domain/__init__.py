"""What the product knows: frozen dataclasses and pure decisions. No I/O, no clock, no wire format."""
