"""The parts of the KERAG page."""
