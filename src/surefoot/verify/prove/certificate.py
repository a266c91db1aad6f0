"""The proof that travels with every answer. `recheck.py` beside this file confirms it without Surefoot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from surefoot.core.case import case_passage
from surefoot.core.hashing import sha256_text
from surefoot.core.text import sentences
from surefoot.core.types import CheckReport, Claim, Decision, Json, Judgement, Passage, Proof, Status, VerifyInput
from surefoot.packs.schema import Pack
from surefoot.verify.prove.recheck import FORMAT, seal_of
from surefoot.verify.read.reading import quoted_line

GATE_VERSION = "7"


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What a released text rests on."""

    text: str
    claims: tuple[Claim, ...]
    reports: tuple[CheckReport, ...]
    passages: tuple[Passage, ...]
    judgements: tuple[Judgement, ...] = ()
    """Of the claims; what they rest on beside the reports' proofs."""


def certify(
    *,
    decision: Decision,
    reason: str | None,
    basis: Basis,
    request: VerifyInput,
    pack: Pack,
    configuration: Mapping[str, Json],
    vouched: bool = False,
) -> dict[str, Json]:
    """A sealed certificate. `vouched` says that the text is the caller's own safe text: nothing in it is proven."""
    judged = with_proofs(basis.judgements, basis.reports)
    entries = [
        _entry(claim, "vouched_by_caller", factual=claim.factual)
        if vouched
        else _sentence(claim, basis, judged.get(claim.index))
        for claim in basis.claims
    ]
    used = {str(item["source"]) for entry in entries for item in _rows(entry, "evidence")}
    certificate: dict[str, Json] = {
        "format": FORMAT,
        "gate": GATE_VERSION,
        "decision": decision.value,
        "reason": reason,
        "final_text": basis.text,
        "final_text_sha256": sha256_text(basis.text),
        "draft_sha256": sha256_text(request.draft_answer),
        "question_sha256": sha256_text(request.question) if request.question else None,
        "sentences": list(entries),
        "sources": [
            {"id": passage.id, "sha256": sha256_text(passage.text), "text": passage.text}
            for passage in basis.passages
            if passage.id in used
        ],
        "passages_seen": [
            {"id": passage.id, "sha256": sha256_text(passage.text)}
            for passage in (*request.chunks, *([case_passage(request.case)] if request.case else []))
        ],
        "checks": [
            {"name": report.name, "version": report.version, "issues": len(report.findings)} for report in basis.reports
        ],
        "pack": {"name": pack.name, "version": pack.version, "hash": pack.hash},
        "configuration": dict(configuration),
    }
    certificate["seal"] = seal_of(certificate)
    return certificate


def extractive_basis(text: str, passages: Sequence[Passage]) -> Basis:
    """The basis of a text made of source sentences: each is looked up, word for word."""
    claims, proofs = [], []
    for index, sentence in enumerate(sentences(text)):
        quoted = quoted_line(sentence.text, passages)
        claims.append(Claim(index=index, text=sentence.text, span=sentence.span, factual=quoted is not None))
        if quoted is not None:
            passage, line = quoted
            proofs.append(Proof(claim=index, passage=passage, span=line.sentence.span, method="quote"))
    report = CheckReport(name="extractive", version="1", proofs=tuple(proofs))
    return Basis(text=text, claims=tuple(claims), reports=(report,), passages=tuple(passages))


def _entry(claim: Claim, verdict: str, *, factual: bool, cited: Sequence[str] = ()) -> dict[str, Json]:
    return {
        "span": list(claim.span),
        "text": claim.text,
        "factual": factual,
        "cited": list(cited),
        "verdict": verdict,
        "evidence": [],
        "values": [],
    }


def _sentence(claim: Claim, basis: Basis, judged: Judgement | None) -> dict[str, Json]:
    states = claim.factual and (judged is None or judged.status is not Status.SILENT)
    entry = _entry(claim, "not_factual", factual=states, cited=claim.cited)
    if not states:
        return entry
    texts = {passage.id: passage.text for passage in basis.passages}
    entry["verdict"], entry["rests_on"], entry["risk"] = "unproven", None, 1.0
    if judged is not None and judged.passage in texts and judged.span is not None:
        quoted = judged.method in ("quote", "derived", "critic")
        entry["verdict"], entry["risk"] = judged.status.value, round(judged.risk, 4)
        entry["rests_on"] = judged.method if quoted else judged.status.value
        entry["evidence"] = [_quote(judged.passage, judged.span, texts[judged.passage])]
    entry["values"] = _values(claim, basis)
    return entry


def _values(claim: Claim, basis: Basis) -> list[Json]:
    """A value match that does not stand where it says is left out: the certificate states only what can be shown."""
    texts = {passage.id: passage.text for passage in basis.passages}
    found: dict[str, Json] = {}
    for proof in (proof for report in basis.reports for proof in report.proofs if proof.claim == claim.index):
        for match in proof.values:
            own, given = basis.text[slice(*match.claim_span)], texts[proof.passage][slice(*match.source_span)]
            if (own, given) == (match.claim_text, match.source_text):
                found[f"{match.claim_span}{proof.passage}"] = {
                    "kind": match.kind,
                    "claim_text": match.claim_text,
                    "claim_span": list(match.claim_span),
                    "source": proof.passage,
                    "source_text": match.source_text,
                    "source_span": list(match.source_span),
                }
    return list(found.values())


def with_proofs(judgements: Iterable[Judgement], reports: Sequence[CheckReport]) -> dict[int, Judgement]:
    """Index of a claim: what was said of it, else what its first proof shows. Value matches alone prove nothing."""
    found = {one.claim: one for one in judgements}
    for proof in (proof for report in reports for proof in report.proofs):
        if proof.method in PROVING and proof.claim not in found:
            found[proof.claim] = Judgement(
                claim=proof.claim,
                status=Status.PROVEN,
                risk=1.0 - proof.score,
                method=proof.method,
                passage=proof.passage,
                span=proof.span,
            )
    return found


def _quote(source: str, span: tuple[int, int], text: str) -> Json:
    quote = text[span[0] : span[1]]
    return {"source": source, "span": list(span), "quote": quote, "quote_sha256": sha256_text(quote)}


def _rows(entry: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    rows = entry[key]
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


PROVING = frozenset(("quote", "restated", "derived", "grounder"))
