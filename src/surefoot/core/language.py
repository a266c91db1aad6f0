"""Which language a text is in, by its commonest words; None where too little is said to tell."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.core.text import words

_LEAST_SHARE = 0.2
_MARGIN = 1.5
_SAMPLE = 400


def language_of(texts: Iterable[str]) -> str | None:
    """An English name such as "German". Careful: it says nothing unless one language is well ahead of the others."""
    said = [word for text in texts for word in words(text)][:_SAMPLE]
    if len(said) < 3:
        return None
    counts = {name: sum(map(common.__contains__, said)) for name, common in _COMMON.items()}
    first, second, *_ = sorted(counts.values(), reverse=True)
    if first < 2 or first / len(said) < _LEAST_SHARE or first < _MARGIN * max(second, 1):
        return None
    return max(counts, key=lambda name: counts[name])


_COMMON = {
    name: frozenset(common.split())
    for name, common in {
        "English": (
            "the of and to in is are was for on with that it as be this have from by at not or an what when where "
            "how who which do does can will would should must may you your we our they their there if about much "
            "many i my a why need get any has had did could off out up so no per"
        ),
        "German": (
            "der die das und ist sind ich sie wir ihr nicht ein eine einen einem einer mit auf fur von zu im den "
            "dem des wie was wann wo wer welche welcher kostet kann muss darf haben hat wird werden gibt es viel "
            "viele lange bei"
        ),
        "French": (
            "le la les des un une et est sont je vous nous il elle ne pas pour sur avec dans que qui quoi quand "
            "ou comment combien quel quelle quels peut dois faut ai avez ont du au aux ce cette mon votre notre"
        ),
        "Spanish": (
            "el la los las un una y es son yo usted nosotros no para con en que quien cuando donde como cuanto "
            "cuanta cuesta cual cuales puede debo hay tiene tienen del al por mi su este esta se lo"
        ),
        "Italian": (
            "il lo la i gli le un una e sono io non per con in che chi quando dove come quanto quanti costa quale "
            "quali puo devo ce ha hanno del della al nel mio suo questo questa si"
        ),
        "Portuguese": (
            "o a os as um uma e sao eu nao para com em que quem quando onde como quanto quantos custa qual quais "
            "pode devo tem do da no na ao meu seu este esta se por"
        ),
        "Dutch": (
            "de het een en is zijn ik je u wij niet voor met op van te in dat die wat wanneer waar wie hoe welke "
            "kost kan moet mag heb heeft er veel lang bij naar uw mijn"
        ),
        "Afrikaans": (
            "die n en is ek jy u ons nie vir met op van te in dat wat wanneer waar wie hoe watter kos kan moet "
            "mag het daar baie lank by na jou my hulle word sal"
        ),
        "Polish": (
            "i w na z do nie jest sa ja to ze co kiedy gdzie kto jak ile ktory ktora moge musze czy ma maja od po za"
        ),
    }.items()
}
