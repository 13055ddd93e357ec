"""Runs of jobs as rows, and the leases of those that are going on."""
