"""What the page says in place of codes. The code itself is shown on hover, for whoever looks it up."""

from __future__ import annotations

DECISIONS: dict[str, tuple[str, str, str, str]] = {
    "approved": ("✓", "Approved", "Every statement rests on a source.", "sf-quote"),
    "revised": ("✎", "Revised", "Corrected from the sources, then checked again.", "sf-supported"),
    "fallback": ("↩", "Safe answer", "The draft could not be shown to be right. This is what can be.", "sf-critic"),
    "rejected": ("✕", "No answer", "There is no answer that can be shown to be right.", "sf-bad"),
}
"""Decision to its sign, its name, what it means, and its colour."""

RESTS_ON: dict[str, tuple[str, str, str, str]] = {
    "quote": ("❝", "quoted", "word for word in a source", "sf-quote"),
    "derived": ("∑", "worked out", "code works it out from what a source says", "sf-proven"),
    "proven": ("✓", "proven", "every value and name stands in a source, and so does the meaning", "sf-proven"),
    "supported": ("≈", "supported", "a source says so in other words", "sf-supported"),
    "critic": ("◆", "checked by a critic", "a language model compared it with its source", "sf-critic"),
    "vouched_by_caller": ("◇", "from the caller", "the caller vouches for this text", "sf-critic"),
    "nothing": ("·", "no claim", "states nothing that could be right or wrong", "sf-plain"),
}
"""What a sentence rests on: sign, name, meaning, colour."""

STATUSES: dict[str, tuple[str, str, str, str]] = {
    "proven": RESTS_ON["proven"],
    "supported": RESTS_ON["supported"],
    "doubtful": ("?", "doubtful", "the sources do not say this clearly enough", "sf-doubt"),
    "unsupported": ("✕", "not supported", "no source says this", "sf-bad"),
    "no_claim": RESTS_ON["nothing"],
}
"""What the gate found out about a claim of a draft."""

SEVERITIES = {"critical": "‼ critical", "high": "▲ high", "medium": "● medium", "low": "○ low"}

CODES: dict[str, str] = {
    "retrieval_miss": "Nothing in the documents answers this.",
    "citation_missing": "A statement names no source.",
    "citation_unknown": "A source number points to nothing.",
    "citation_misattributed": "The fact stands in another source.",
    "citation_unused": "The named source does not say this.",
    "evidence_miss": "No source says this.",
    "contradicted": "A source says the opposite.",
    "value_mismatch": "The source gives another figure.",
    "unit_mismatch": "The source gives another unit or currency.",
    "unknown_entity": "This name is in no source.",
    "url_not_in_sources": "This address is in no source.",
    "date_format": "The date is written another way than asked for.",
    "currency_format": "The amount is in another currency than asked for.",
    "section_missing": "A required part is missing.",
    "warning_missing": "A required warning is missing.",
    "definitive_prescription": "A promise or an order where advice is due.",
    "tone": "The wording does not suit the reader.",
    "prompt_violation": "The draft repeats or breaks its instructions.",
    "self_contradiction": "Two sentences contradict each other.",
    "injection_in_source": "A source tries to give instructions; it was not used.",
    "source_conflict": "Two sources disagree.",
    "stale_source": "The source is old.",
    "unanswered": "This does not answer what was asked.",
    "check_broken": "A check could not run.",
    "deadline_exceeded": "Checking took too long.",
    "llm_unavailable": "The language model did not answer.",
    "store_unavailable": "The documents cannot be reached.",
    "critical_failure": "Too little of it is in the sources.",
    "too_many_issues": "Most of the draft is in no source.",
}
REASONS = {
    "outdated source": "the source is out of date",
    "below the threshold": "the score is below the threshold",
    "stale_source": "the source is out of date",
    "below_threshold": "the score is below the threshold",
    "unanswered": "the question was not answered",
    "retrieval_miss": "nothing relevant was found",
    "nothing_found": "nothing was found",
    "critical_failure": "the draft could not be proven",
    "too_many_issues": "too much of the draft is unsupported",
    "deadline_exceeded": "time was up",
    "llm_unavailable": "the language model did not answer",
    "store_unavailable": "the store did not answer",
    "check_broken": "a check could not run",
    "invalid_citation": "it cited a reference that is not there, or none",
    "invalid_json": "the reply had not the form asked for",
    "evidence_miss": "no source says so",
    "citation_unused": "the cited source does not say so",
    "value_mismatch": "the sources give another value",
    "no_reference": "no reference speaks about this",
    "cached": "a remembered answer was given again",
}
"""Why a round went on or a step ended, as part of a sentence; what is not here is shown as it is."""
ACTIONS = {
    "fix": "the answer is corrected",
    "reject": "the question is refused",
    "warn": "it is reported",
}
STEPS = {
    "retrieve": "Looking for passages",
    "generate": "Writing a draft",
    "validate": "Checking every sentence",
    "execute": "Looking for more evidence",
    "synthesize": "Correcting the draft",
    "deliver": "Done",
}
DONE = {
    "retrieve": "looked for passages",
    "generate": "wrote a draft",
    "validate": "checked every sentence",
    "execute": "looked for more evidence",
    "synthesize": "corrected the draft",
    "deliver": "handed it over",
}
"""The same steps once they are behind us."""
STAGES = {
    "rules": "rules",
    "grounding": "reading the sources",
    "critic": "critic",
    "mending": "repairs",
    "cache": "remembered answers",
}
"""The stages of the check."""
TIERS = {"answer": "answers", "vector": "vectors of texts", "snippet": "pages of the web"}
"""What is remembered."""
KINDS = {"ask": "question", "verify": "draft", "judge": "case", "feedback": "feedback", "cached": "remembered answer"}
DOCUMENT_STATES = {"queued": "⧗ being read", "indexed": "✓ ready", "failed": "✕ skipped", "removing": "⧗ being removed"}


def of_code(code: str | None) -> str:
    """A code in plain words; a pack's own rule by its name."""
    if not code:
        return ""
    if code.startswith("policy:"):
        return f"A rule of the pack applies: {code.removeprefix('policy:').replace('-', ' ')}."
    if code in REASONS and code not in CODES:
        return f"{REASONS[code].capitalize()}."
    return CODES.get(code, code.replace("_", " "))
