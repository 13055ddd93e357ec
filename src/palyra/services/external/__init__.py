"""The mirror in an external engine: kept up by a follower, compared by content, and never believed."""
