"""`palyra service`: the daemon as a service of this user, started by what starts services here."""
