"""Where context references lead: files below the configured roots, git's differences, pages of the public web."""
