"""Text: words, BM25, and vectors of texts. It knows no graph and no method."""
