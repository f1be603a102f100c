"""One file per text encoder. Each loads its weights only when the first unknown text is asked for.

A further encoder is a file here, with the attributes of `core.text.cached_encoder.TextModel`, and a line
in `core.text.embedding.ENCODERS`.
"""
