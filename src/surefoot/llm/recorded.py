"""`recorded:DIR`: replies kept as files, found again by the content hash of their request.

One file per request, `<key>.json`, holding both the request and the reply, so that a person can read and edit it.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

from surefoot.core.errors import InputError, RecordingMissingError
from surefoot.core.hashing import plain, request_key
from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest

_LOG = logging.getLogger(__name__)


class RecordedModel:
    """Replays; never calls anything. A request that was not recorded is a loud error."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"recorded:{folder} is not a folder; record one with SUREFOOT_RECORD_DIR={folder}")
        self._folder = folder

    @property
    def identity(self) -> str:
        return f"recorded:{self._folder.name}"

    async def complete(self, request: ModelRequest) -> ModelReply:
        key = request_key(request)
        file = recording_file(self._folder, key)
        try:
            found = json.loads(file.read_text(encoding="utf-8"))["reply"]
            return ModelReply(**found)
        except FileNotFoundError:
            # Said here too: the gate takes whatever happens to a critic for a critic that is down.
            _LOG.error("there is no recording %s for a %r request", file, request.role)
            raise RecordingMissingError(_miss(request, file, self._folder)) from None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file} is no recording ({error}); record it again or delete it") from error


class Recording:
    """A model whose every reply is also kept as a recording. Failures are not kept."""

    def __init__(self, model: LanguageModel, folder: Path) -> None:
        self._model, self._folder = model, folder

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        reply = await self._model.complete(request)
        write_recording(self._folder, request, reply)
        return reply


def recording_file(folder: Path, key: str) -> Path:
    return folder / f"{key[:32]}.json"


def write_recording(folder: Path, request: ModelRequest, reply: ModelReply) -> Path:
    """Whole or not at all: a killed recorder leaves no half file behind."""
    folder.mkdir(parents=True, exist_ok=True)
    file = recording_file(folder, request_key(request))
    content = json.dumps({"request": plain(request), "reply": plain(reply)}, ensure_ascii=False, indent=1)
    half = file.with_suffix(f".{os.getpid()}.tmp")
    half.write_text(content + "\n", encoding="utf-8")
    half.replace(file)
    return file


def _miss(request: ModelRequest, file: Path, folder: Path) -> str:
    start = " ".join(request.prompt.split())[:100]
    return (
        f"there is no file {str(file)!r}: recorded:{folder} has no reply to this {request.role!r} request; it begins "
        f"{start!r}; record it by running once with a real model and SUREFOOT_RECORD_DIR={folder}"
    )
