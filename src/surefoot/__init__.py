"""Surefoot answers questions from a knowledge base and lets nothing out that it cannot prove.

    import surefoot

    result = surefoot.verify("The late fee is R9 a day.", ["The late fee for a DVD is R5 a day."])
    print(result.decision, result.text)

The public menu. Names are imported when they are first used, so that `import surefoot` costs next to nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from surefoot import openai as openai
    from surefoot.core.errors import (
        CertificateError,
        ConfigError,
        DeadlineExceededError,
        EncoderError,
        FetchError,
        FetchRefusedError,
        InputError,
        InvalidReplyError,
        MissingExtraError,
        ModelError,
        ModelTimeoutError,
        ModelUnavailableError,
        PackError,
        RateLimitedError,
        RecordingMissingError,
        StoreError,
        StoreFullError,
        StoreLockedError,
        StoreReadOnlyError,
        StoreUnavailableError,
        SurefootError,
    )
    from surefoot.core.request import Citing
    from surefoot.core.sources import Source, Sources
    from surefoot.core.types import (
        AskResult,
        ClaimResult,
        Decision,
        IngestReport,
        Issue,
        Json,
        JudgeResult,
        Passage,
        Quote,
        ResultMetadata,
        Retrieval,
        Revision,
        ScoredPassage,
        SearchFilter,
        Severity,
        Status,
        StoredDocument,
        Turn,
        VerificationResult,
        VerifyInput,
        VerifyOptions,
    )
    from surefoot.packs.schema import Pack
    from surefoot.settings import SettingChanges, Settings
    from surefoot.wiring import BlockingSurefoot, Surefoot, build

__version__ = "0.2.0"
__all__ = [
    "AskResult",
    "BlockingSurefoot",
    "CertificateError",
    "ClaimResult",
    "ConfigError",
    "DeadlineExceededError",
    "Decision",
    "EncoderError",
    "FetchError",
    "FetchRefusedError",
    "IngestReport",
    "InputError",
    "InvalidReplyError",
    "Issue",
    "JudgeResult",
    "MissingExtraError",
    "ModelError",
    "ModelTimeoutError",
    "ModelUnavailableError",
    "Pack",
    "PackError",
    "Passage",
    "Quote",
    "RateLimitedError",
    "RecordingMissingError",
    "ResultMetadata",
    "Retrieval",
    "Revision",
    "ScoredPassage",
    "SearchFilter",
    "Settings",
    "Severity",
    "Source",
    "Sources",
    "Status",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreReadOnlyError",
    "StoreUnavailableError",
    "StoredDocument",
    "Surefoot",
    "SurefootError",
    "Turn",
    "VerificationResult",
    "VerifyInput",
    "VerifyOptions",
    "ask",
    "build",
    "verify",
]

_HOMES = {
    "BlockingSurefoot": "surefoot.wiring",
    "Pack": "surefoot.packs.schema",
    "Settings": "surefoot.settings",
    "Source": "surefoot.core.sources",
    "Sources": "surefoot.core.sources",
    "Surefoot": "surefoot.wiring",
    "build": "surefoot.wiring",
}
"""Where a name lives that is neither an error nor a type of the glossary."""


def ask(question: str, *, profile: Mapping[str, Json] | None = None, **settings: Unpack[SettingChanges]) -> AskResult:
    """One verified answer from the knowledge base, blocking; safe inside a running event loop.

        surefoot ingest FOLDER        # once, in a shell
        surefoot.ask("What is the late fee?").text

    profile: what is known of the reader, as a JSON object.
    settings: `kb="path"`, `pack="thandi"`, `llm="openai:gpt-4o-mini"` and every other setting.

    Raises InputError where there is no knowledge base. For many questions use `with surefoot.Surefoot(kb=…) as sf:`.
    """
    from surefoot.wiring.oneliners import ask_once

    return ask_once(question, profile, settings)


@overload
def verify(answer: VerifyInput, /, **settings: Unpack[SettingChanges]) -> VerificationResult: ...


@overload
def verify(
    answer: str,
    sources: Sources,
    *,
    question: str | None = None,
    profile: Mapping[str, Json] | None = None,
    citations: Citing | None = None,
    rag_draft: str | None = None,
    options: VerifyOptions | None = None,
    **settings: Unpack[SettingChanges],
) -> VerificationResult: ...


def verify(
    answer: str | VerifyInput,
    sources: Sources | None = None,
    *,
    question: str | None = None,
    profile: Mapping[str, Json] | None = None,
    citations: Citing | None = None,
    rag_draft: str | None = None,
    options: VerifyOptions | None = None,
    **settings: Unpack[SettingChanges],
) -> VerificationResult:
    """surefoot.verify(answer, sources): which claims of an answer its sources prove, and a text that may be shown.

        result = surefoot.verify("The late fee is R9 a day.", ["The late fee for a DVD is R5 a day."])
        result.text          # what may be shown: "The late fee for a DVD is R5 a day."
        result.decision      # approved, revised, fallback or rejected
        result.claims        # every sentence with its status, risk and evidence
        print(result)        # one readable screen

    answer: the draft of any model, with or without markers such as [S1].
    sources: what it must be proven from. Texts, dicts with "text", Passages, or documents of LangChain, LlamaIndex
        and Haystack. The first is [S1]. An empty list proves nothing, so the answer is rejected.
    question, profile: what was asked, and what is known of the reader; both help to read the answer.
    citations: "auto" checks the markers a draft has and attributes a draft without any; "required" wants a marker on
        every claim. Left out, the pack says it; the default pack says "auto".
    rag_draft: a text of your own to fall back to.
    options: deadline, strict mode, critic (VerifyOptions).
    settings: `pack="thandi"`, `trust="proof"`, `kb="path"` and every other setting.

    A VerifyInput in place of answer and sources is the full call. Blocking, and safe inside a running event loop.
    Models are loaded once per process. Nothing is written to disk unless `kb` is given, whose run log then keeps it.
    Raises InputError (a SurefootError) for a mistake of the caller's; a fault of the gate's own is a `fallback`.
    """
    from surefoot.core.request import as_request
    from surefoot.wiring.oneliners import verify_once

    request = as_request(
        answer,
        sources,
        question=question,
        profile=profile,
        citations=citations,
        rag_draft=rag_draft,
        options=options,
    )
    return verify_once(request, settings)


_verify = verify


class _Room(ModuleType):
    """The `verify` room, which may be called: `surefoot.verify(…)` and `surefoot.verify.gate` are both promised."""

    def __call__(self, *given: Any, **named: Any) -> VerificationResult:
        result: VerificationResult = _verify(*given, **named)
        return result

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(_verify)


class _Menu(ModuleType):
    """Importing anything of the room puts the room in the function's place; it is made callable then, with its help."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "verify" and isinstance(value, ModuleType):
            value.__class__ = _Room
            value.__doc__ = _verify.__doc__
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Menu


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _home(name)
    if name == "openai":
        from importlib import import_module

        return import_module("surefoot.openai")
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")


def _home(name: str) -> Any:
    from importlib import import_module

    home = "surefoot.core.errors" if name.endswith("Error") else "surefoot.core.types"
    return getattr(import_module(_HOMES.get(name, home)), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
