"""The child process of isolation.py: reads one file per request line until its parent is gone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from surefoot.core.errors import ConfigError, InputError
from surefoot.ingest.cutting import cut
from surefoot.ingest.limits import Limits


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _bound_memory(int(sys.argv[1]))
    for line in sys.stdin.buffer:
        answers.write(_written(_answer(json.loads(line))) + b"\n")
        answers.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Whatever a parser throws is a reason; only the parent's clock and the memory bound can end this process."""
    try:
        done = cut(Path(request["path"]), request["source"], Limits(**request["limits"]), request["tags"])
    except ConfigError as error:
        return {"missing": str(error)}
    except InputError as error:
        return {"reason": str(error)}
    except MemoryError:
        return {"reason": "needs more memory than a file may use"}
    except RecursionError:
        return {"reason": "nested too deeply"}
    except Exception as error:
        return {"reason": f"its reader failed on it ({type(error).__name__})"}
    passages = [{"id": one.id, "text": one.text, "metadata": one.metadata} for one in done.passages]
    return {"sha256": done.sha256, "passages": passages}


def _written(reply: dict[str, Any]) -> bytes:
    """What cannot be written as UTF-8 or as JSON here cannot be indexed, logged or shown either."""
    try:
        return json.dumps(reply, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        reason = "it holds half of a character pair (a lone surrogate); save it again as UTF-8"
    except (ValueError, TypeError, RecursionError):
        reason = "it holds a value that JSON cannot hold"
    except MemoryError:
        reason = "needs more memory than a file may use"
    return json.dumps({"reason": reason}).encode()


def _bound_memory(limit: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, ValueError, OSError):
        return


if __name__ == "__main__":
    main()
