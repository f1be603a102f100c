"""Documents in many file formats to a `Corpus`: readers, cleaning, chunks, languages and vectors."""
