"""The reading of a question against a graph: mentions, needs, roles, routes. It knows no method."""
