"""The only SQL. Reads are functions of a transaction; writes are projectors of events."""
