"""Learning candidates as rows."""
