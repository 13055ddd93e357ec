"""The parts of `palyra chat` and `palyra session`: the screen, the keyboard, a turn, and how a tape reads."""
