"""Where every surface meets: one row per operation."""
