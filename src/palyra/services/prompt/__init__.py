"""Preparing what a model is given: stages that read, a pure `assemble`, and the receipt of what was recalled."""
