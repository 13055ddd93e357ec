"""Made from schemas/proto by `make proto`; not for editing."""
