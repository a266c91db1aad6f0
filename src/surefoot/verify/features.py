"""What can be counted about a claim and its evidence, and the calibrated model that joins the counts to a probability.

The weights are a data file made by `training/features/train.py`; the order of NAMES is part of that file's contract.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from surefoot.core.errors import ConfigError
from surefoot.core.remember import by_text
from surefoot.core.types import Passage
from surefoot.verify.alignment import Weights, profile, stem
from surefoot.verify.binding import Binding, Bound
from surefoot.verify.names import names
from surefoot.verify.polarity import NEGATIONS, opposes
from surefoot.verify.reading import Line, Token
from surefoot.verify.support import Support

BESIDE = 0.2
"""How much of our own log-odds is laid beside a grounder's, and the most it may be: fitted on answers a grounder of the
same recipe had not seen. More of it lifts long documents and ruins minimal edits."""
BESIDE_AT_MOST = 0.4
SHARPNESS = 2.0
"""How much the worst claim outweighs the others in an answer's score; fitted on the same answers."""
PREFIX = 5
"""Letters that are compared where word forms differ: 'regulates' and 'regulation'."""

NAMES = (
    "coverage",
    "coverage_best",
    "coverage_top3",
    "coverage_below_70",
    "coverage_best_below_50",
    "novel_words",
    "novel_share",
    "any_novel",
    "bigrams",
    "trigrams",
    "longest_run",
    "bigrams_below_40",
    "names_missing",
    "name_missing",
    "values_unbound",
    "value_unbound",
    "values_bound",
    "opposed",
    "negation_differs",
    "negation_claim_only",
    "strong_words",
    "quantifier_differs",
    "length",
    "evidence_length",
    "spread",
    "prefix_coverage",
    "prefix_coverage_best",
    "prefix_novel_words",
    "prefix_novel_share",
    "pairs_together",
)


def features(
    claim: Line,
    supports: Sequence[Support],
    evidence: Sequence[Passage],
    bindings: Sequence[Binding],
    weights: Weights,
) -> tuple[float, ...]:
    """The numbers of NAMES, each between about 0 and 3."""
    stems = claim.stems
    whole = weights.sum(stems) or 1.0
    known: frozenset[str] = frozenset().union(*(profile(passage.text).words for passage in evidence))
    length = sum(len(profile(passage.text).sentences) for passage in evidence)
    held = stems & known
    top = [support.line for support in supports[:3]]
    in_top = stems & frozenset().union(*(line.stems for line in top)) if top else frozenset()
    coverage = weights.sum(held) / whole
    best = supports[0].coverage if supports else 0.0
    novel = stems - held
    bigrams, trigrams, longest = _runs(claim.tokens, top)
    called = {word for name in names(claim.sentence.text) for word in name.words}
    missing = [word for word in called if stem(word) not in known]
    bad = [binding for binding in bindings if binding.bound not in (Bound.MATCHED, Bound.DERIVED, Bound.UNOWNED)]
    flips = [opposes(claim, line) for line in top[:1]]
    mine, theirs = _negations(claim), _negations(top[0]) if top else 0
    best_stems = top[0].stems if top else frozenset()
    strong = sum(token.word in _STRONG for token in claim.tokens) - sum(
        token.word in _STRONG for line in top for token in line.tokens
    )
    quantifiers = {token.word for token in claim.tokens} & _QUANTIFIERS
    there = {token.word for line in top for token in line.tokens} & _QUANTIFIERS
    mine_short = {key[:PREFIX]: weights.of(key) for key in sorted(stems)}
    all_short: frozenset[str] = frozenset().union(*(_prefixes(passage.text) for passage in evidence))
    whole_short = sum(mine_short.values()) or 1.0
    novel_short = mine_short.keys() - all_short
    near_short = [{key[:PREFIX] for key in support.line.stems} for support in supports]
    shared_short = [math.fsum(mine_short[key] for key in mine_short.keys() & line) for line in near_short]
    best_short = max(shared_short, default=0.0)
    return (
        coverage,
        best,
        weights.sum(in_top) / whole,
        max(0.0, 0.7 - coverage),
        max(0.0, 0.5 - best),
        math.log1p(len(novel)),
        len(novel) / len(stems) if stems else 0.0,
        float(bool(novel)),
        bigrams,
        trigrams,
        longest,
        max(0.0, 0.4 - bigrams),
        len(missing) / len(called) if called else 0.0,
        float(bool(missing)),
        len(bad) / len(bindings) if bindings else 0.0,
        float(bool(bad)),
        float(bool(bindings) and not bad),
        float(any(flips)),
        float((mine % 2) != (theirs % 2)) * min(1.0, 2 * len(stems & best_stems) / max(1, len(stems))),
        float(mine > theirs),
        float(strong > 0),
        float(bool(quantifiers - there)),
        math.log1p(len(stems)) / 2,
        math.log1p(length) / 3,
        (weights.sum(in_top) / whole) - best,
        1.0 - math.fsum(mine_short[key] for key in novel_short) / whole_short,
        best_short / whole_short,
        math.log1p(len(novel_short)),
        len(novel_short) / len(mine_short) if mine_short else 0.0,
        _together(claim, [support.line for support in supports]),
    )


def _negations(line: Line) -> int:
    return sum(token.word in NEGATIONS or token.word.endswith("n't") for token in line.tokens)


@by_text(4096)
def _prefixes(text: str) -> frozenset[str]:
    return frozenset(word[:PREFIX] for word in profile(text).words)


def _together(claim: Line, lines: Sequence[Line]) -> float:
    """Share of neighbouring meaningful words that also stand together in one of the nearest lines."""
    stems = [token.stem for token in claim.tokens if token.stem in claim.stems]
    pairs = [(one, two) for one, two in itertools.pairwise(stems) if one != two]
    held = sum(any(one in line.stems and two in line.stems for line in lines) for one, two in pairs)
    return held / len(pairs) if pairs else 0.0


def _runs(tokens: Sequence[Token], lines: Sequence[Line]) -> tuple[float, float, float]:
    """Shares of the claim's word pairs and triples that stand in the lines, and of its longest run of them."""
    stems = [token.stem for token in tokens]
    pairs = list(itertools.pairwise(stems))
    triples = list(zip(stems, stems[1:], stems[2:], strict=False))
    their_pairs: set[tuple[str, str]] = set()
    their_triples: set[tuple[str, str, str]] = set()
    for line in lines:
        other = [token.stem for token in line.tokens]
        their_pairs.update(itertools.pairwise(other))
        their_triples.update(zip(other, other[1:], other[2:], strict=False))
    run = longest = 0
    for pair in pairs:
        run = run + 1 if pair in their_pairs else 0
        longest = max(longest, run)
    return (
        sum(pair in their_pairs for pair in pairs) / len(pairs) if pairs else 0.0,
        sum(triple in their_triples for triple in triples) / len(triples) if triples else 0.0,
        longest / len(pairs) if pairs else 0.0,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class FeatureModel:
    """A logistic model over NAMES and where its probability is to be cut."""

    bias: float
    weights: tuple[float, ...]
    accept: float
    """Unsupported probability up to which a claim may count as proven."""
    reject: float
    """Unsupported probability from which a claim is an issue."""
    version: str
    joint_accept: float = 0.4
    """The two thresholds for the joint judgement."""
    joint_reject: float = 0.58

    def unsupported(self, found: Sequence[float]) -> float:
        score = self.bias + sum(weight * value for weight, value in zip(self.weights, found, strict=True))
        return _chance(score)


def joined(ours: float, grounders: float) -> float:
    """Two probabilities as one: the grounder's log-odds, moved a little by ours."""
    beside = max(-BESIDE_AT_MOST, min(BESIDE_AT_MOST, BESIDE * _log_odds(ours)))
    return _chance(_log_odds(grounders) + beside)


def any_of(chances: Sequence[float]) -> float:
    """That at least one of several claims is unsupported: the worst one, and a little more for each other in doubt."""
    if not chances:
        return 0.0
    odds = [_log_odds(chance) for chance in chances]
    worst = max(odds)
    return _chance(worst + math.log(sum(math.exp(SHARPNESS * (each - worst)) for each in odds)) / SHARPNESS)


def _chance(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, log_odds))))


def _log_odds(chance: float) -> float:
    held = min(max(chance, 1e-6), 1.0 - 1e-6)
    return math.log(held / (1.0 - held))


@lru_cache(maxsize=1)
def shipped_model() -> FeatureModel:
    """The model in the package's data file."""
    text = resources.files("surefoot.verify").joinpath("data/features.json").read_text(encoding="utf-8")
    data = json.loads(text)
    if tuple(data["names"]) != NAMES:
        raise ConfigError("verify/data/features.json was made for other features; run training/features/train.py")
    return FeatureModel(
        bias=data["bias"],
        weights=tuple(data["weights"]),
        accept=data["accept"],
        reject=data["reject"],
        version=data["version"],
        joint_accept=data["joint_accept"],
        joint_reject=data["joint_reject"],
    )


_STRONG = frozenset("always never all every only must guaranteed guarantee entirely completely everyone nobody".split())
_QUANTIFIERS = frozenset(
    "all most many some few none every each several any majority minority half always never often sometimes usually "
    "rarely only".split()
)
