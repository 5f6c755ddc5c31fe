"""Whether the parameters of a request fit the constraints of a mandate, written from docs/mandates.md alone.

Python 3.11 and its standard library. `find_misfit(params, constraints)` returns None when everything fits, else the
JSON Pointer of the first place that does not.

    $ echo '{"params": {"amount": 60}, "constraints": [{"path": "/amount", "at_most": 50}]}' | python3 constraints.py
    /amount
"""

import json
import re
import sys

INDEX = re.compile("0|[1-9][0-9]*")
SEGMENT = re.compile("[A-Za-z0-9._~-]+")


def find_misfit(params, constraints):
    named = {constraint["path"]: constraint for constraint in constraints}
    met = set()

    def misfit_at(value, path, nameable):
        if nameable and path in named:
            met.add(path)
            return None if fits(value, named[path]) else path
        children = list(children_of(value))
        if not children:
            return path
        for step, child, is_named_by_pointer in children:
            escaped = str(step).replace("~", "~0").replace("/", "~1")
            misfit = misfit_at(child, f"{path}/{escaped}", nameable and is_named_by_pointer)
            if misfit is not None:
                return misfit
        return None

    if params:
        misfit = misfit_at(params, "", True)
        if misfit is not None:
            return misfit
    for constraint in constraints:
        if not constraint.get("optional") and constraint["path"] not in met:
            return constraint["path"]
    return None


def children_of(value):
    """Each child with its step. A member whose name is an index can only be covered by a branch that is named."""
    if isinstance(value, list):
        for index, child in enumerate(value):
            yield index, child, True
    elif isinstance(value, dict):
        for name, child in value.items():
            yield name, child, INDEX.fullmatch(name) is None


def fits(value, kind):
    if "anything" in kind:
        return True
    if "equals" in kind:
        return same(value, kind["equals"])
    if "one_of" in kind:
        return any(same(value, allowed) for allowed in kind["one_of"])
    if "under" in kind:
        return isinstance(value, str) and is_under(value, kind["under"])
    if "each" in kind:
        return (
            isinstance(value, list)
            and len(value) <= kind["at_most_items"]
            and all(not isinstance(item, (list, dict)) and fits(item, kind["each"]) for item in value)
        )
    if not is_number(value):
        return False
    return kind.get("at_least", 0) <= value and ("at_most" not in kind or value <= kind["at_most"])


def is_number(value):
    # In Python, True is a number. In JSON it is not.
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(one, other):
    """Whether two values have the same RFC 8785 text: equal values of equal types, numbers by value."""
    if is_number(one) and is_number(other):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return one == other


def is_under(value, base):
    start = base if base.endswith("/") else f"{base}/"
    if not value.startswith(start):
        return False
    segments = value[len(start) :].split("/")
    return all(SEGMENT.fullmatch(segment) and segment not in (".", "..") for segment in segments)


if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        misfit = find_misfit(question["params"], question["constraints"])
        print("fits" if misfit is None else misfit)
