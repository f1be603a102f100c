"""A model that is a script: it answers CARA's prompts sensibly on a graph where Ridley Scott directed Alien."""

import re


def scripted(body):
    """A model that walks to the director: what it says depends on the shape it is asked for and on the prompt."""
    text = body["messages"][1]["content"]
    shape = body.get("response_format", {}).get("json_schema", {}).get("name")
    if shape == "AssessmentReply":
        handles = re.findall(r"^(n\d+): (\w+)", text, re.M)
        return {"assessments": [
            {"id": h, "consequentiality": 9 if name == "Ridley" else 2, "essentiality": 7, "path_consistency": 8,
             "rationale": "fits"} for h, name in handles]}  # fmt: skip
    if shape == "AnswerReply":
        return {"sentences": [{"text": "Ridley Scott directed Alien.", "evidence": ["e1", "e99"]}]}
    if "global_search" not in text.split("So far:")[1]:
        return {"reason": "find it", "action": "global_search", "subquery": "Alien"}
    if "neighbors of" not in text:
        return {"reason": "look", "action": "neighbors", "node": "n1", "subquery": "director"}
    if "Your list is empty" in text:
        best = re.search(r"(n\d+): Ridley", text)
        return {"reason": "found", "action": "append", "nodes": [f"[{best[1].upper()}]"]}
    return {"reason": "done", "action": "finish"}
