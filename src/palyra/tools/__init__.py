"""The tools a model is offered, one file each."""
