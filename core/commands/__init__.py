"""The commands of `python -m core`, one file each: what is asked of the library, and how the reply is put.

A command returns a `Reply`; `core/__main__.py` prints it, or the error it raised. Nothing heavy is
imported before a command needs it, so that --help is quick.
"""
