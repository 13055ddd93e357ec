"""Secrets told in prose: `words` finds the nouns, `values` what may be a secret, `telling` which of them is told."""
