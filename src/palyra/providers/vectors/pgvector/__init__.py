"""Vectors in PostgreSQL with pgvector; imported only when it is switched on."""
