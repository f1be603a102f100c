"""Pictures of a KERAG run, drawn from its trace."""
