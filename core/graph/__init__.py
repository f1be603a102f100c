"""Knowledge graphs: one immutable in-memory graph, the four calls a method may use, one reader a format."""
