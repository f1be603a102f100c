"""SGUR: a diagnosis in rounds. Graph alignment gives beliefs, expected information gain picks the next question."""
