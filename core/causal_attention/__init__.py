"""Causal-attention re-ranking (CAR): from the documents most like a query to those that may answer it."""
