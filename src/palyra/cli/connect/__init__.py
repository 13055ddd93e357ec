"""`palyra connect`: a model that answers, an MCP client, or any program: set up, tried with one turn, and shown."""
