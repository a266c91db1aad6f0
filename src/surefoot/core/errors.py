"""Everything Surefoot raises.

SurefootError
├── InputError              the caller's fault: exit code 2, HTTP 400
│   ├── ConfigError         settings or environment
│   │   └── MissingExtraError
│   └── PackError           a pack's file, with its line
├── ModelError              a language model did not deliver
│   ├── ModelUnavailableError   (API error, connection refused)
│   ├── ModelTimeoutError
│   ├── RateLimitedError        (429, with retry_after_s)
│   ├── InvalidReplyError       (not the JSON asked for, twice)
│   └── RecordingMissingError   (recorded:DIR has no such request)
├── EncoderError            weights absent, altered or unusable
├── StoreError              the passage store or a cache
│   ├── StoreLockedError        (another process holds it)
│   └── StoreUnavailableError
├── FetchError              a page could not be had
│   └── FetchRefusedError       (an address we will not talk to)
├── CertificateError        a proof that does not hold
└── DeadlineExceededError
"""

from __future__ import annotations


class SurefootError(Exception):
    """The root: a lower-case sentence, the offending value, then the remedy."""

    code = "internal"


class InputError(SurefootError):
    code = "bad_input"


class ConfigError(InputError):
    code = "bad_config"


class MissingExtraError(ConfigError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package!r} is not installed; install it with: pip install 'surefoot[{extra}]'")


class PackError(InputError):
    """A mistake in a pack, with its place."""

    code = "bad_pack"

    def __init__(self, problem: str, *, file: str, line: int | None = None) -> None:
        self.problem, self.file, self.line = problem, file, line
        super().__init__(f"{file}:{line}: {problem}" if line else f"{file}: {problem}")


class ModelError(SurefootError):
    code = "llm_error"


class ModelUnavailableError(ModelError):
    code = "llm_unavailable"


class ModelTimeoutError(ModelError):
    code = "llm_timeout"


class RateLimitedError(ModelError):
    code = "llm_rate_limited"

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class InvalidReplyError(ModelError):
    code = "llm_invalid_reply"


class RecordingMissingError(ModelError):
    code = "recording_missing"


class EncoderError(SurefootError):
    code = "encoder"


class StoreError(SurefootError):
    code = "store"


class StoreLockedError(StoreError):
    code = "store_locked"


class StoreUnavailableError(StoreError):
    code = "store_unavailable"


class FetchError(SurefootError):
    code = "fetch"


class FetchRefusedError(FetchError):
    code = "fetch_refused"


class CertificateError(SurefootError):
    code = "certificate"


class DeadlineExceededError(SurefootError):
    code = "deadline_exceeded"
