"""Memory use-cases: taking in, finding again, keeping in order, and forgetting."""
