"""The child process of isolation.py: reads one file per request line until its parent is gone."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.core.errors import ConfigError, InputError
from surefoot.ingest.limits import Limits
from surefoot.ingest.reading import read


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _bound_memory(int(sys.argv[1]))
    for line in sys.stdin.buffer:
        answers.write(json.dumps(_answer(json.loads(line))).encode("ascii") + b"\n")
        answers.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Whatever a parser throws is a reason; only the parent's clock and the memory bound can end this process."""
    try:
        documents = read(Path(request["path"]), request["source"], Limits(**request["limits"]))
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
    return {"documents": [asdict(document) for document in documents]}


def _bound_memory(limit: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, ValueError, OSError):
        return


if __name__ == "__main__":
    main()
