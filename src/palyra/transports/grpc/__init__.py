"""gRPC: `MemoryService` and `LearningService`, with health and reflection beside them."""
