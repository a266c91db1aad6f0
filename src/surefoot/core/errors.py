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
│       ├── StoreFullError          (no space on the disk: HTTP 507)
│       └── StoreReadOnlyError      (the folder cannot be written)
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
    """The caller's mistake: a value, a file or a name that cannot be used."""

    code = "bad_input"


class ConfigError(InputError):
    """A setting, in the environment, in surefoot.toml or given as an argument, that cannot be used."""

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
    """A language model did not deliver."""

    code = "llm_error"


class ModelUnavailableError(ModelError):
    """The model's service refused, failed or could not be reached; `passing`: the same call may soon succeed."""

    code = "llm_unavailable"

    def __init__(self, message: str, *, passing: bool = True) -> None:
        self.passing = passing
        super().__init__(message)


class ModelTimeoutError(ModelError):
    """The model took longer than it may."""

    code = "llm_timeout"


class RateLimitedError(ModelError):
    """The model's service wants fewer calls; `retry_after_s` says when to come back, where it is known."""

    code = "llm_rate_limited"

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class InvalidReplyError(ModelError):
    """The model did not answer in the form asked for, twice."""

    code = "llm_invalid_reply"


class RecordingMissingError(ModelError):
    """`recorded:DIR` holds no reply to this request."""

    code = "recording_missing"


class EncoderError(SurefootError):
    """The weights of an embedded model are absent, altered or unusable."""

    code = "encoder"


class StoreError(SurefootError):
    """The passage store or a cache cannot be used."""

    code = "store"


class StoreLockedError(StoreError):
    """Another process holds the knowledge base; `pid` says which, where it is known."""

    code = "store_locked"

    def __init__(self, message: str, *, pid: int | None = None) -> None:
        self.pid = pid
        super().__init__(message)


class StoreUnavailableError(StoreError):
    """The store cannot be reached or written."""

    code = "store_unavailable"


class StoreFullError(StoreUnavailableError):
    """There is no space left on the disk."""

    code = "store_full"


class StoreReadOnlyError(StoreUnavailableError):
    """The folder of the knowledge base cannot be written."""

    code = "store_read_only"


class FetchError(SurefootError):
    """A page could not be had."""

    code = "fetch"


class FetchRefusedError(FetchError):
    """An address Surefoot will not talk to, such as one of a private network."""

    code = "fetch_refused"


class CertificateError(SurefootError):
    """A proof that does not hold."""

    code = "certificate"


class DeadlineExceededError(SurefootError):
    """Time was up."""

    code = "deadline_exceeded"
