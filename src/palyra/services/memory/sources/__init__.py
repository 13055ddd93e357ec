"""Where memory is not kept but can be found: the tape, documents, checkpoints, summaries. One table, one index."""
