"""Use-cases: read what is visible, decide, commit. No SQL, no transport."""
