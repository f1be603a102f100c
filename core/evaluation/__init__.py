"""Questions with gold answers, metrics, intervals, and a batch runner that treats every method alike."""
