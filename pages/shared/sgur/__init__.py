"""The parts of the page of diagnosis in rounds."""
