"""What the report shows: findings in the shape of Stele's diagnostics."""


def finding(severity, identifier, text, path="", **target):
    """One finding; `target` says what a click selects: kind (OBJECT, VERTICES, BONES, ACTION), name, items."""
    return {"id": identifier, "severity": severity, "offset": None, "path": path, "count": 1, "text": text, **target}
