"""The gate: rules, grounding, critic, mending, decision, against one deadline. It fails closed, always.

The only texts that leave are: a draft that passed stages 1 and 2, a mended draft that passed them again, the safe
text, a rule's own message, and the "I don't know" sentence. Every fault ends in one of the last three, or, where a
stream has begun, in the proven sentences it has shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from surefoot.core.errors import ConfigError, InputError
from surefoot.core.known_names import names_known
from surefoot.core.ports import Clock, LanguageModel, SafeWriter
from surefoot.core.remember import Memory
from surefoot.core.types import Shown, VerificationResult, VerifyInput
from surefoot.packs.schema import Pack
from surefoot.verify.mend.quotes import Quoter
from surefoot.verify.read.submission import Check
from surefoot.verify.run import GateConfig, Parts, Run
from surefoot.verify.work.opening import Opening
from surefoot.verify.work.worker import BusyError, Quarantine

__all__ = ["Gate", "GateConfig"]

REMEMBERED = 512
"""Stage-1 reports kept."""


class Gate:
    """One gate serves every caller; it keeps nothing between calls but remembered stage-1 reports."""

    def __init__(
        self,
        *,
        packs: Callable[[str | None, Sequence[str]], Pack],
        rules: Sequence[Check],
        grounding: Sequence[Check],
        safe_writer: SafeWriter,
        clock: Clock,
        critics: Callable[[str | None], Sequence[LanguageModel]] = lambda model: (),
        config: GateConfig | None = None,
        quoter: Quoter | None = None,
        open_models: Callable[[], None] = lambda: None,
    ) -> None:
        for stage, checks in (("rules", rules), ("grounding", grounding)):
            if not checks:
                raise ConfigError(f"the gate has no {stage} checks; a gate that checks nothing is not built")
        self.config = config or GateConfig()
        self._packs = packs
        self._opening = Opening(open_models)
        self._parts = Parts(
            rules=tuple(rules),
            grounding=tuple(grounding),
            safe_writer=safe_writer,
            clock=clock,
            critics=critics,
            config=self.config,
            memory=Memory(REMEMBERED),
            quarantine=Quarantine(),
            quoter=quoter or Quoter(),
        )

    async def verify(
        self, request: VerifyInput, on_release: Callable[[Shown], None] | None = None
    ) -> VerificationResult:
        """The verdict on a draft. Raises only for the caller's own mistakes, such as a pack that does not exist.

        Where a critic is asked, `on_release` may hear the proven start of the text before: the final text begins so.
        """
        await self._opening.before(request)
        began = self._parts.clock.monotonic()
        run = Run(self._parts, request, self._packs(request.pack, request.rules), began, on_release)
        try:
            try:
                with names_known(request.profile):
                    verdict = await run.judge()
            except InputError:
                raise
            except TimeoutError:
                verdict = run.fail("deadline_exceeded", "time was up")
            except BusyError as error:
                verdict = run.fail("check_broken", str(error))
            except Exception as error:
                verdict = run.fail("check_broken", f"the gate raised {type(error).__name__}")
            return await run.deliver(verdict)
        finally:
            run.close()

    async def fail(self, request: VerifyInput, fault: str, shown: Shown | None = None) -> VerificationResult:
        """The last step of the ladder for a fault outside the gate: what was shown, else the safe text."""
        began = self._parts.clock.monotonic()
        run = Run(self._parts, request, self._packs(request.pack, request.rules), began)
        run.shown = shown
        try:
            return await run.deliver(run.fail(fault, "what should have written the draft failed"))
        finally:
            run.close()
