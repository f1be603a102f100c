"""Pictures of a diagnosis in rounds, drawn from its trace."""
