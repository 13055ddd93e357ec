"""Looking after the journal: verifying it, rebuilding from it, backing it up, restoring it, finishing erasures."""
