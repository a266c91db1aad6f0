"""What answers, verifies and judges: the gate, who writes drafts, where to look outside, and the flows over them.

Built on the foundation, each when it is first asked for, so that verifying a draft loads no store and asking without an
LLM no SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from surefoot.core.ports import (
    Clock,
    Evidence,
    Generator,
    LanguageModel,
    SafeWriter,
    SearchProvider,
    Verifier,
)
from surefoot.core.redaction import redact_profile
from surefoot.core.request import CITATIONS
from surefoot.flows.audited import Audited
from surefoot.flows.cited import Cited
from surefoot.flows.punctual import Punctual
from surefoot.generate.extractive import Extractive
from surefoot.packs.schema import Pack
from surefoot.verify.gate import Gate, GateConfig
from surefoot.verify.mend.quotes import Quoter
from surefoot.verify.read.submission import Check
from surefoot.wiring.caches import build_answers, gate_version
from surefoot.wiring.clocks import FixedDate
from surefoot.wiring.foundation import Foundation
from surefoot.wiring.gate import REHEARSING, build_grounding, build_rules, citing, gate_config

if TYPE_CHECKING:
    from surefoot.correct.sources import Curated, Pages
    from surefoot.flows.answers import AnswerCache
    from surefoot.flows.ask import AskFlow
    from surefoot.flows.judge import JudgeFlow
    from surefoot.generate.answering import Answering


class Equipment(Foundation):
    @cached_property
    def gate(self) -> Gate:
        """The gate, citing as the pack says."""
        return self._gate(None)

    @cached_property
    def cited(self) -> Verifier:
        """The gate for callers who may say how a draft has to cite."""
        own = {mode: partial(self._gate, mode) for mode in CITATIONS}
        made: dict[str, Gate] = {}

        def gate(citations: str | None) -> Verifier:
            if citations is None:
                return self.gate
            if citations not in made:
                made[citations] = own[citations]()
            return made[citations]

        return Cited(gate=gate)

    @cached_property
    def punctual(self) -> Verifier:
        """The gate for whoever may have stood in line; a question counts its wait in its own budget."""
        return Punctual(gate=self.cited, deadline_ms=self.settings.deadline_ms)

    @cached_property
    def audited(self) -> Verifier:
        if not self._keeps_runs:
            return self.punctual
        return self._audit("verify")

    def rehearsal(self, pack: str, today: str, critics: Sequence[LanguageModel]) -> Gate:
        """A gate for recorded cases: the same checks, a date that stands still, critics whose words are known."""
        return self._gate_with(
            packs=lambda name, rules: self.pack(name or pack, rules),
            clock=FixedDate(today),
            critics=lambda model: critics,
            config=REHEARSING,
        )

    def _gate(self, citations: str | None) -> Gate:
        return self._gate_with(
            packs=lambda name, rules: citing(self.pack(name, rules), citations),
            clock=self.clock,
            critics=self.critics,
            config=gate_config(self.settings),
        )

    def _gate_with(
        self,
        *,
        packs: Callable[[str | None, Sequence[str]], Pack],
        clock: Clock,
        critics: Callable[[str | None], Sequence[LanguageModel]],
        config: GateConfig,
    ) -> Gate:
        return Gate(
            packs=packs,
            clock=clock,
            critics=critics,
            config=config,
            rules=self.rules,
            grounding=self.grounding,
            safe_writer=self.safe_writer,
            quoter=self.quoter,
            open_models=self.open_models,
        )

    @cached_property
    def rules(self) -> Sequence[Check]:
        """Stage 1, cheap to dear."""
        return build_rules()

    @cached_property
    def grounding(self) -> Sequence[Check]:
        """Stage 2. The gate opens the grounders before the first deadline runs that may need them.

        `auto` has both: the accurate one judges a few claims, the fast one many; with `none` only quotes are proven.
        """
        return build_grounding(*self.grounders, self.thorough, embedder=lambda: self.embedder, now=self.clock.monotonic)

    @cached_property
    def quoter(self) -> Quoter:
        """Chooses the source's own sentence for a claim that may not leave."""
        accurate, fast = self.grounders
        return Quoter(embedder=self.embedder if accurate or fast else None, grounder=fast or accurate)

    @cached_property
    def safe_writer(self) -> SafeWriter:
        return Extractive()

    def generator(self, pack: Pack) -> Generator:
        """Who writes drafts: the configured model, else source sentences."""
        from surefoot.generate.generator import ModelGenerator

        model = self.model(self.settings.llm)
        return self.quoting if model is None else ModelGenerator(model=model, prompts=pack.prompts)

    @cached_property
    def quoting(self) -> Generator:
        """Who answers in the sources' own sentences."""
        from surefoot.wiring.answering import build_quoting

        return build_quoting(self.answering)

    @cached_property
    def answering(self) -> Answering:
        """Whether a statement answers a question."""
        from surefoot.wiring.answering import build_answering

        accurate, _ = self.grounders
        return build_answering(
            self.settings,
            embedder=self.embedder,
            scorer=self.scorer,
            accurate=accurate,
            now=self.clock.monotonic,
        )

    def evidence(self, pack: Pack) -> Evidence | None:
        """Where to look outside: the pack's curated sources, then the search provider; None: nowhere."""
        from surefoot.wiring.outside import build_evidence

        provider = self.search_provider
        if provider is None and not (pack.sources and self.settings.fetch_curated):
            return None
        return build_evidence(
            pack, curated=self.curated(pack), pages=self.pages, provider=provider, embedder=self.embedder
        )

    def curated(self, pack: Pack) -> Curated:
        from surefoot.wiring.outside import build_curated

        return build_curated(self.settings, pack, self.pages)

    @cached_property
    def search_provider(self) -> SearchProvider | None:
        from surefoot.wiring.outside import build_search

        return build_search(self.settings)

    @cached_property
    def pages(self) -> Pages:
        from surefoot.wiring.outside import build_pages

        return build_pages(self.settings, clock=self.clock, cache=self.cache)

    @cached_property
    def flow(self) -> AskFlow:
        from surefoot.flows.ask import AskFlow
        from surefoot.flows.state import Limits

        settings = self.settings
        return AskFlow(
            retriever=self.retriever,
            generator=self.generator,
            quotes=lambda pack: None if self.model(self.settings.llm) is None else self.quoting,
            gate=self.gate,
            evidence=self.evidence,
            clock=self.clock,
            pack=self.pack(),
            limits=Limits(
                rounds=settings.max_rounds,
                milliseconds=settings.ask_budget_ms,
                tokens=settings.ask_budget_tokens,
                top_k=settings.top_k,
                gate_ms=settings.deadline_ms,
            ),
            answers=self.answers,
            redact=redact_profile,
            scorer=self.answering.holds,
            known=getattr(self.embedder, "knows", lambda word: True),
            audit=self._audit("ask").record,
            audit_hit=self._audit("ask").record_hit,
        )

    @cached_property
    def judge_flow(self) -> JudgeFlow:
        from surefoot.flows.judge import JudgeFlow
        from surefoot.wiring.texts import pack_texts

        pack = self.pack("judge")
        return JudgeFlow(
            pack=pack,
            gate=self.punctual,
            curated=self.curated(pack),
            library=cache(partial(pack_texts, pack)),
            model=self.model(self.settings.llm_judge or self.settings.llm),
            embedder=self.embedder,
            audit=self._audit("judge").record,
            timeout_ms=self.settings.llm_timeout_ms,
            meter=self.meter,
        )

    @cached_property
    def answers(self) -> AnswerCache | None:
        """Remembered answers of this knowledge base; None where the cache is switched off."""
        if self.cache is None:
            return None
        checks = (*self.rules, *self.grounding)
        return build_answers(
            self.settings,
            self.cache,
            gate=gate_version(self.settings, self.gate.config, checks, self.embedder, self.reranker),
            secret=self.secret,
            passages=self.store.get,
            meter=self.meter,
        )

    def _audit(self, kind: str) -> Audited:
        return Audited(
            gate=self.punctual, runlog=self.runlog, meter=self.meter, log=partial(self._log, kind), kind=kind
        )
