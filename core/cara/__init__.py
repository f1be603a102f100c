"""CARA: agents walk a knowledge graph; a causal module assesses each candidate; their lists are fused."""
