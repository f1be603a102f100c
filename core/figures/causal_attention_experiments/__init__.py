"""Pictures of experiments with causal attention over many queries. Pure functions, no screen.

curves    one line a ranking over a number: what the gate's and the simulator's charts share
gate      the regime gate: how reliable its verdict is, and what it rests on
stuffing  what stuffed documents do to each ranking
answers   the answers that two rankings lead to, and what only one of them says
themes    where target and stuffed documents of a diagnostic corpus stand
"""
