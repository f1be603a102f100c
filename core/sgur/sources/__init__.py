"""Where expert graphs come from: one file a source. `core.sgur.sources.catalogue` lists them."""
