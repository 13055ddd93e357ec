"""What the proxy does to a conversation that passes through: memory into the request, both sides onto the tape."""
