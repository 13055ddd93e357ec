"""What an external engine may hold of us: outbox, ledger, and the truth it is compared with."""
