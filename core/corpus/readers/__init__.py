"""Document files to corpora."""
