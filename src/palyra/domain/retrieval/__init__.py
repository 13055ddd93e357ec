"""Finding memories: pure scoring and ranking over numpy arrays."""
