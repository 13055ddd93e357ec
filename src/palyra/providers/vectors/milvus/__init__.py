"""Vectors in Milvus; imported only when it is switched on."""
