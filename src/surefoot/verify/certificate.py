"""The proof that travels with every answer. `recheck.py` beside this file confirms it without Surefoot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surefoot.core.hashing import sha256_text
from surefoot.core.text import sentences
from surefoot.core.types import CheckReport, Claim, Decision, Json, Passage, Proof, VerifyInput
from surefoot.packs.schema import Pack
from surefoot.verify.alignment import Aligner, quoted_sentence
from surefoot.verify.recheck import FORMAT, seal_of

GATE_VERSION = "1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What a released text rests on."""

    text: str
    claims: tuple[Claim, ...]
    reports: tuple[CheckReport, ...]
    passages: tuple[Passage, ...]


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
    proofs = _best_proofs(basis)
    entries = [
        _vouched_entry(basis.text, claim) if vouched else _sentence(claim, basis, proofs.get(claim.index))
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
        "passages_seen": [{"id": passage.id, "sha256": sha256_text(passage.text)} for passage in request.chunks],
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
        quoted = quoted_sentence(sentence.text, passages)
        claims.append(Claim(index=index, text=sentence.text, span=sentence.span, factual=quoted is not None))
        if quoted is not None:
            passage, place = quoted
            proofs.append(Proof(claim=index, passage=passage, span=place.span, method="quote"))
    report = CheckReport(name="extractive", version="1", proofs=tuple(proofs))
    return Basis(text=text, claims=tuple(claims), reports=(report,), passages=tuple(passages))


def _sentence(claim: Claim, basis: Basis, proof: Proof | None) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "span": list(claim.span),
        "text": claim.text,
        "factual": claim.factual,
        "cited": list(claim.cited),
        "verdict": "not_factual",
        "evidence": [],
        "values": [],
    }
    if not claim.factual:
        return entry
    texts = {passage.id: passage.text for passage in basis.passages}
    if proof is not None:
        entry["verdict"], entry["method"], entry["score"] = "proven", proof.method, round(proof.score, 4)
        entry["evidence"] = [_quote(proof.passage, proof.span, texts[proof.passage])]
    else:
        allowed = [passage for passage in basis.passages if not claim.cited or passage.id in claim.cited]
        best = Aligner(allowed).align(claim.text)[:1]
        entry["verdict"], entry["method"] = "supported", "not contradicted, not certain"
        entry["evidence"] = [_quote(item.passage, item.sentence, texts[item.passage]) for item in best]
    entry["values"] = _values(claim, basis)
    return entry


def _values(claim: Claim, basis: Basis) -> list[Json]:
    found: dict[str, Json] = {}
    for report in basis.reports:
        for proof in report.proofs:
            if proof.claim == claim.index:
                for match in proof.values:
                    found[f"{match.claim_span}{proof.passage}"] = {
                        "kind": match.kind,
                        "claim_text": match.claim_text,
                        "claim_span": list(match.claim_span),
                        "source": proof.passage,
                        "source_text": match.source_text,
                        "source_span": list(match.source_span),
                    }
    texts = {passage.id: passage.text for passage in basis.passages}
    return [value for value in found.values() if _stands(value, basis.text, texts)]


def _stands(value: Json, text: str, texts: Mapping[str, str]) -> bool:
    """A value match that does not stand where it says is left out: the certificate states only what can be shown."""
    if not isinstance(value, dict):
        return False
    spans = (value["claim_span"], value["source_span"])
    (begin, stop), (first, last) = ((int(str(s[0])), int(str(s[1]))) for s in spans if isinstance(s, list))
    return text[begin:stop] == value["claim_text"] and texts[str(value["source"])][first:last] == value["source_text"]


def _best_proofs(basis: Basis) -> dict[int, Proof]:
    """One proof per claim: verbatim quotes first, then the highest score. Value matches alone prove nothing."""
    best: dict[int, Proof] = {}
    for report in basis.reports:
        for proof in report.proofs:
            held = best.get(proof.claim)
            if proof.method in PROVING and (held is None or _strength(proof) > _strength(held)):
                best[proof.claim] = proof
    return best


def _strength(proof: Proof) -> tuple[bool, float]:
    return (proof.method == "quote", proof.score)


def _quote(source: str, span: tuple[int, int], text: str) -> Json:
    quote = text[span[0] : span[1]]
    return {"source": source, "span": list(span), "quote": quote, "quote_sha256": sha256_text(quote)}


def _vouched_entry(text: str, claim: Claim) -> dict[str, Json]:
    return {
        "span": list(claim.span),
        "text": claim.text,
        "factual": claim.factual,
        "cited": [],
        "verdict": "vouched_by_caller",
        "evidence": [],
        "values": [],
    }


def _rows(entry: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    rows = entry[key]
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


PROVING = frozenset(("quote", "grounder", "features", "structured"))
