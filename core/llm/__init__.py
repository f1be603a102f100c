"""Any OpenAI-compatible chat server: one call, structured replies, what they cost, record and replay.

Knows the prompts of no method.
"""
