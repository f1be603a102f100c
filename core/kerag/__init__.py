"""KERAG: plan which neighbourhood of a topic is needed, retrieve it whole, and reason over it."""
