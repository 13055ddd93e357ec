"""The `palyra` command. Commands import what they need when they run, so that `--help` stays fast."""
