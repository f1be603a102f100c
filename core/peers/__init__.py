"""Methods to compare CARA with. Each is a retriever; none knows another, nor CARA."""
