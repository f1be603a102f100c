"""Pictures of experiments with causal attention over many queries. Pure functions, no screen.

curves    one line a ranking over a number: what the gate's and the simulator's charts share
gate      the regime gate: how reliable its verdict is, and what it rests on
stuffing  what stuffed documents do to each ranking
themes    where target and stuffed documents of a diagnostic corpus stand
"""
