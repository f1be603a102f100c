"""Measurements of speed and memory, each with its peer in the same run: `python -m core bench NAME`."""
