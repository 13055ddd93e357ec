"""Memory in the database: items, candidates, their index and their followers."""
