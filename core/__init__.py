"""Causeway's library: graphs, text, methods, traces, figures. It never imports a user interface."""

__version__ = "0.1.0"
