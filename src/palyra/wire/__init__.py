"""Request and response types, by resource. Floats, hex and ISO forms live here; the inside keeps integers and bytes."""
