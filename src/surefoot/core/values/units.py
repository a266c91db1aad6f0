"""The words a value may carry: scales, currencies, measures, durations, months, comparators."""

from __future__ import annotations

SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "thousands": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "bn": 1e9,
    "b": 1e9,
    "billion": 1e9,
    "billions": 1e9,
    "trillion": 1e12,
    "tn": 1e12,
    "hundred": 1e2,
    "dozen": 12.0,
}
SHORT_SCALES = frozenset({"k", "m", "b", "mn", "bn", "tn"})

CURRENCY_SIGNS = {
    "R": "ZAR",
    "ZAR": "ZAR",
    "€": "EUR",
    "EUR": "EUR",
    "£": "GBP",
    "GBP": "GBP",
    "$": "USD",
    "US$": "USD",
    "USD": "USD",
    "A$": "AUD",
    "C$": "CAD",
    "¥": "JPY",
    "JPY": "JPY",
    "₹": "INR",
    "INR": "INR",
    "CHF": "CHF",
    "N$": "NAD",
    "KES": "KES",
    "NGN": "NGN",
    "₦": "NGN",
}
CURRENCY_WORDS = {
    "rand": "ZAR",
    "rands": "ZAR",
    "zar": "ZAR",
    "euro": "EUR",
    "euros": "EUR",
    "eur": "EUR",
    "dollar": "USD",
    "dollars": "USD",
    "usd": "USD",
    "pound": "GBP",
    "pounds": "GBP",
    "gbp": "GBP",
    "sterling": "GBP",
    "yen": "JPY",
    "rupees": "INR",
    "francs": "CHF",
    "naira": "NGN",
}

# word -> (base unit, factor to the base); the base names the dimension
MEASURES: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("g", 1e-3)),
    **dict.fromkeys(("µg", "mcg", "microgram", "micrograms"), ("g", 1e-6)),
    **dict.fromkeys(("g", "gram", "grams", "gramme", "grammes"), ("g", 1.0)),
    **dict.fromkeys(("kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"), ("g", 1e3)),
    **dict.fromkeys(("t", "tonne", "tonnes", "ton", "tons"), ("g", 1e6)),
    **dict.fromkeys(("lb", "lbs"), ("g", 453.59237)),
    **dict.fromkeys(("oz", "ounce", "ounces"), ("g", 28.349523125)),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), ("m", 1e-3)),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), ("m", 1e-2)),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), ("m", 1.0)),
    **dict.fromkeys(("km", "kms", "kilometre", "kilometres", "kilometer", "kilometers"), ("m", 1e3)),
    **dict.fromkeys(("mile", "miles"), ("m", 1609.344)),
    **dict.fromkeys(("foot", "feet", "ft"), ("m", 0.3048)),
    **dict.fromkeys(("inch", "inches"), ("m", 0.0254)),
    **dict.fromkeys(("ml", "millilitre", "millilitres", "milliliter", "milliliters"), ("l", 1e-3)),
    **dict.fromkeys(("dl", "decilitre", "decilitres"), ("l", 1e-1)),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters"), ("l", 1.0)),
    **dict.fromkeys(("m²", "m2", "sqm"), ("m2", 1.0)),
    **dict.fromkeys(("km²", "km2"), ("m2", 1e6)),
    **dict.fromkeys(("ha", "hectare", "hectares"), ("m2", 1e4)),
    **dict.fromkeys(("acre", "acres"), ("m2", 4046.8564224)),
    **dict.fromkeys(("m³", "m3"), ("m3", 1.0)),
    **dict.fromkeys(("°c", "° c", "celsius", "centigrade"), ("degC", 1.0)),
    **dict.fromkeys(("°f", "° f", "fahrenheit"), ("degF", 1.0)),
    **dict.fromkeys(("°", "degree", "degrees"), ("degree", 1.0)),
    **dict.fromkeys(("w", "watt", "watts"), ("W", 1.0)),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), ("W", 1e3)),
    **dict.fromkeys(("mw", "megawatt", "megawatts"), ("W", 1e6)),
    **dict.fromkeys(("gw",), ("W", 1e9)),
    **dict.fromkeys(("kwh",), ("kWh", 1.0)),
    **dict.fromkeys(("mwh",), ("kWh", 1e3)),
    **dict.fromkeys(("kb", "kilobyte", "kilobytes"), ("byte", 1e3)),
    **dict.fromkeys(("mb", "megabyte", "megabytes"), ("byte", 1e6)),
    **dict.fromkeys(("gb", "gigabyte", "gigabytes"), ("byte", 1e9)),
    **dict.fromkeys(("tb", "terabyte", "terabytes"), ("byte", 1e12)),
    **dict.fromkeys(("kmh", "kph"), ("km/h", 1.0)),
    **dict.fromkeys(("mph",), ("km/h", 1.609344)),
    **dict.fromkeys(("kj",), ("kJ", 1.0)),
    **dict.fromkeys(("kcal", "calories"), ("kJ", 4.184)),
    **dict.fromkeys(("credit", "credits"), ("credit", 1.0)),
    **dict.fromkeys(("cent", "cents", "c"), ("cent", 1.0)),
    **dict.fromkeys(("tablet", "tablets", "pill", "pills", "capsule", "capsules", "caplet", "caplets"), ("pill", 1.0)),
    **dict.fromkeys(("drop", "drops"), ("drop", 1.0)),
    **dict.fromkeys(("puff", "puffs"), ("puff", 1.0)),
    **dict.fromkeys(("sachet", "sachets"), ("sachet", 1.0)),
    **dict.fromkeys(("teaspoon", "teaspoons", "tsp", "tsps", "teaspoonful", "teaspoonfuls"), ("tsp", 1.0)),
    **dict.fromkeys(("tablespoon", "tablespoons", "tbsp", "tbsps", "tablespoonful", "tablespoonfuls"), ("tbsp", 1.0)),
}


def names_of_measure(period: str) -> tuple[str, ...]:
    """How the measure is written that an amount is due for: `1 l` is litre, litres, l …"""
    return tuple(word for word, (base, factor) in MEASURES.items() if f"{factor:g} {base}" == period)


AREA_WORDS = frozenset({"square", "sq", "cubic"})

# word -> (base, factor): days and months do not convert into each other
DURATIONS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("second", "seconds", "sec", "secs"), ("day", 1 / 86400)),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), ("day", 1 / 1440)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), ("day", 1 / 24)),
    **dict.fromkeys(("day", "days"), ("day", 1.0)),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), ("day", 7.0)),
    **dict.fromkeys(("fortnight", "fortnights"), ("day", 14.0)),
    **dict.fromkeys(("month", "months", "mth", "mths"), ("month", 1.0)),
    **dict.fromkeys(("quarter", "quarters"), ("month", 3.0)),
    **dict.fromkeys(("year", "years", "yr", "yrs"), ("month", 12.0)),
    **dict.fromkeys(("decade", "decades"), ("month", 120.0)),
    **dict.fromkeys(("century", "centuries"), ("month", 1200.0)),
}
DURATION_ADJECTIVES = frozenset(
    "calendar consecutive full additional further extra more academic whole complete tax paid unpaid continuous other "
    "contribution contributory insurable "
    "successive straight long short".split()
)
WORKING = frozenset({"working", "business", "school", "trading"})

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
PARTS_OF_MONTH = {
    **dict.fromkeys(("early", "beginning", "start"), "early"),
    **dict.fromkeys(("mid", "middle"), "mid"),
    **dict.fromkeys(("late", "end"), "late"),
}
WEEKDAYS = {
    name: number
    for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split(), start=1)
}

PERIODS = {
    "hour": "hour",
    "hourly": "hour",
    "hr": "hour",
    "h": "hour",
    "day": "day",
    "daily": "day",
    "week": "week",
    "weekly": "week",
    "wk": "week",
    "w": "week",
    "fortnight": "fortnight",
    "fortnightly": "fortnight",
    "month": "month",
    "monthly": "month",
    "m": "month",
    "year": "year",
    "yearly": "year",
    "annum": "year",
    "annual": "year",
    "annually": "year",
    "a": "year",
    "night": "night",
    "nightly": "night",
    "term": "term",
    "semester": "semester",
    "quarter": "quarter",
    "quarterly": "quarter",
    "minute": "minute",
    "min": "minute",
    "second": "second",
    "sec": "second",
    "s": "second",
    "d": "day",
    "mth": "month",
    "yr": "year",
}

# the words before a number -> (comparator, approximate, loose)
BEFORE: dict[tuple[str, ...], tuple[str, bool, bool]] = {
    ("at", "least"): ("at_least", False, False),
    ("not", "less", "than"): ("at_least", False, False),
    ("no", "less", "than"): ("at_least", False, False),
    ("not", "fewer", "than"): ("at_least", False, False),
    ("no", "fewer", "than"): ("at_least", False, False),
    ("not", "under"): ("at_least", False, False),
    ("not", "below"): ("at_least", False, False),
    ("minimum",): ("at_least", False, False),
    ("minimum", "of"): ("at_least", False, False),
    ("starting", "from"): ("at_least", False, True),
    ("starting", "at"): ("at_least", False, True),
    ("more", "than"): ("more_than", False, False),
    ("greater", "than"): ("more_than", False, False),
    ("higher", "than"): ("more_than", False, False),
    ("longer", "than"): ("more_than", False, False),
    ("older", "than"): ("more_than", False, False),
    ("larger", "than"): ("more_than", False, False),
    ("exceeding",): ("more_than", False, False),
    ("exceeds",): ("more_than", False, False),
    ("exceed",): ("more_than", False, False),
    ("exceeded",): ("more_than", False, True),
    ("surpass",): ("more_than", False, True),
    ("surpasses",): ("more_than", False, True),
    ("surpassed",): ("more_than", False, True),
    ("surpassing",): ("more_than", False, True),
    ("above",): ("more_than", False, True),
    ("over",): ("more_than", False, True),
    ("at", "most"): ("at_most", False, False),
    ("up", "to"): ("at_most", False, False),
    ("not", "more", "than"): ("at_most", False, False),
    ("no", "more", "than"): ("at_most", False, False),
    ("not", "exceeding"): ("at_most", False, False),
    ("not", "exceed"): ("at_most", False, False),
    ("no", "longer", "than"): ("at_most", False, False),
    ("not", "longer", "than"): ("at_most", False, False),
    ("no", "later", "than"): ("at_most", False, False),
    ("not", "over"): ("at_most", False, False),
    ("not", "above"): ("at_most", False, False),
    ("maximum",): ("at_most", False, False),
    ("maximum", "of"): ("at_most", False, False),
    ("within",): ("at_most", False, True),
    ("less", "than"): ("less_than", False, False),
    ("fewer", "than"): ("less_than", False, False),
    ("lower", "than"): ("less_than", False, False),
    ("smaller", "than"): ("less_than", False, False),
    ("shorter", "than"): ("less_than", False, False),
    ("younger", "than"): ("less_than", False, False),
    ("under",): ("less_than", False, True),
    ("below",): ("less_than", False, True),
    ("about",): ("", True, False),
    ("approximately",): ("", True, False),
    ("approx",): ("", True, False),
    ("around",): ("", True, False),
    ("roughly",): ("", True, False),
    ("nearly",): ("", True, False),
    ("almost",): ("", True, False),
    ("some",): ("", True, False),
    ("circa",): ("", True, False),
    ("~",): ("", True, False),
    (">",): ("more_than", False, False),
    ("<",): ("less_than", False, False),
    ("≥",): ("at_least", False, False),
    ("≤",): ("at_most", False, False),
}
BEFORE_LAST = frozenset(key[-1] for key in BEFORE)
FILLERS = frozenset({"the", "a", "an", "age", "aged", "ages", "of", "is", "be", "only", "another", "or", "equal", "to"})
"""Words that may stand between a comparator and its number: 'at least the age of 18'."""

AFTER = {
    "or more": "at_least",
    "or over": "at_least",
    "and over": "at_least",
    "or above": "at_least",
    "and above": "at_least",
    "or older": "at_least",
    "or higher": "at_least",
    "or longer": "at_least",
    "or greater": "at_least",
    "and up": "at_least",
    "and older": "at_least",
    "and more": "at_least",
    "or less": "at_most",
    "or under": "at_most",
    "and under": "at_most",
    "or below": "at_most",
    "and below": "at_most",
    "or younger": "at_most",
    "or fewer": "at_most",
    "or lower": "at_most",
    "or shorter": "at_most",
}
