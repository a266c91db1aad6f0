"""A JSON object out of what a language model said, and whether it meets its schema. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import NoReturn

from surefoot.core.types import Json

MAX_REPLY = 200_000
MAX_ATTEMPTS = 50


def extract_object(text: str) -> dict[str, Json]:
    """The JSON object in a reply, whatever stands around it: fences, thinking aloud, a closing remark.

    The last complete object that is not part of another wins, because models that think aloud answer last.
    Raises ValueError when there is none. A hostile reply costs no more than a few attempts.
    """
    if len(text) > MAX_REPLY:
        raise ValueError(f"the reply has {len(text)} characters; at most {MAX_REPLY} are read")
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    found: dict[str, Json] | None = None
    position = text.find("{")
    attempts = 0
    while position != -1 and attempts < MAX_ATTEMPTS:
        attempts += 1
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position = text.find("{", position + 1)
            continue
        if isinstance(value, dict):
            found = value
        position = text.find("{", end)
    if found is None:
        raise ValueError("the reply holds no complete JSON object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def schema_problem(value: Json, schema: Mapping[str, Json], *, at: str = "$") -> str | None:
    """The first way in which a value breaks a JSON schema, in words; None when it breaks none.

    Knows what our schemas use: type, enum, const, properties, required, additionalProperties, items, minItems,
    maxItems, minLength, minimum and maximum.
    """
    return (
        _type_problem(value, schema, at)
        or _choice_problem(value, schema, at)
        or _size_problem(value, schema, at)
        or _object_problem(value, schema, at)
        or _list_problem(value, schema, at)
    )


def _type_problem(value: Json, schema: Mapping[str, Json], at: str) -> str | None:
    wanted = schema.get("type")
    if wanted is None:
        return None
    names = [str(name) for name in wanted] if isinstance(wanted, list) else [str(wanted)]
    if any(_is(value, name) for name in names):
        return None
    return f"{at} must be {' or '.join(names)}, not {_shown(value)}"


def _choice_problem(value: Json, schema: Mapping[str, Json], at: str) -> str | None:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        return f"{at} must be one of {json.dumps(allowed)}, not {_shown(value)}"
    if "const" in schema and value != schema["const"]:
        return f"{at} must be {json.dumps(schema['const'])}, not {_shown(value)}"
    return None


def _size_problem(value: Json, schema: Mapping[str, Json], at: str) -> str | None:
    if isinstance(value, str) and len(value) < _number(schema, "minLength", 0):
        return f"{at} must have at least {schema['minLength']} characters"
    if isinstance(value, list):
        if len(value) < _number(schema, "minItems", 0):
            return f"{at} must have at least {schema['minItems']} items, not {len(value)}"
        if len(value) > _number(schema, "maxItems", float("inf")):
            return f"{at} must have at most {schema['maxItems']} items, not {len(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < _number(schema, "minimum", float("-inf")):
            return f"{at} must be at least {schema['minimum']}, not {_shown(value)}"
        if value > _number(schema, "maximum", float("inf")):
            return f"{at} must be at most {schema['maximum']}, not {_shown(value)}"
    return None


def _object_problem(value: Json, schema: Mapping[str, Json], at: str) -> str | None:
    if not isinstance(value, dict):
        return None
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for key in required if isinstance(required, list) else []:
        if key not in value:
            return f"{at}.{key} is missing"
    for key, item in value.items():
        inner = known.get(key)
        if isinstance(inner, dict):
            problem = schema_problem(item, inner, at=f"{at}.{key}")
            if problem:
                return problem
        elif schema.get("additionalProperties") is False:
            return f"{at}.{key} is not a known key; known keys are {', '.join(known)}"
    return None


def _list_problem(value: Json, schema: Mapping[str, Json], at: str) -> str | None:
    inner = schema.get("items")
    if not isinstance(value, list) or not isinstance(inner, dict):
        return None
    problems = (schema_problem(item, inner, at=f"{at}[{index}]") for index, item in enumerate(value))
    return next((problem for problem in problems if problem), None)


def _is(value: Json, name: str) -> bool:
    if name in ("integer", "number"):
        kinds: tuple[type, ...] = (int,) if name == "integer" else (int, float)
        endless = isinstance(value, float) and not math.isfinite(value)  # such as 1e999: no limit would hold it
        return isinstance(value, kinds) and not isinstance(value, bool) and not endless
    return isinstance(value, _KINDS.get(name, object))


def _number(schema: Mapping[str, Json], key: str, default: float) -> float:
    value = schema.get(key)
    return value if isinstance(value, int | float) else default


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


_KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def strictly_closed(schema: Json | Mapping[str, Json] | Sequence[Json]) -> bool:
    """Whether every object in a schema requires all of its keys and allows no other: what strict modes ask for."""
    if isinstance(schema, list):
        return all(strictly_closed(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    if isinstance(properties, dict):
        required = schema.get("required")
        if schema.get("additionalProperties") is not False or set(properties) != set(
            required if isinstance(required, list) else []
        ):
            return False
        return all(strictly_closed(item) for item in properties.values())
    return all(strictly_closed(item) for item in schema.values())
