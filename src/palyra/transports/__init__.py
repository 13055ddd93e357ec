"""How calls arrive: HTTP, gRPC and MCP, each a thin skin over the same operations."""
