"""Sessions, runs, the tape and attachments: tables, and how events become rows."""
