"""What turns records of the domain into what goes over the wire."""
