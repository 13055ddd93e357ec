"""gRPC: `palyra.memory.v1.MemoryService`, with health and reflection beside it."""
