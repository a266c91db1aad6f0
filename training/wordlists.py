"""Words that turn a statement into another one, and words that leave it as it is."""

from __future__ import annotations

OPPOSITES = """
more|less most|least higher|lower increase|decrease increased|decreased increases|decreases
increasing|decreasing rise|fall rose|fell rising|falling before|after first|last earlier|later early|late
largest|smallest larger|smaller large|small biggest|smallest longest|shortest long|short oldest|youngest
older|younger old|new north|south northern|southern east|west eastern|western left|right upper|lower
above|below inside|outside include|exclude includes|excludes included|excluded including|excluding
accept|reject accepted|rejected allow|forbid allowed|forbidden allows|prohibits required|optional
mandatory|voluntary must|need_not always|never often|rarely usually|seldom everyone|nobody all|no both|neither
win|lose won|lost wins|loses victory|defeat success|failure successful|unsuccessful succeeded|failed
passed|failed positive|negative gain|loss gained|lost profit|loss buy|sell bought|sold sells|buys borrow|lend
married|divorced born|died birth|death male|female men|women man|woman father|mother son|daughter
brother|sister husband|wife king|queen he|she his|her boys|girls public|private domestic|foreign
national|local internal|external major|minor strong|weak stronger|weaker fast|slow faster|slower hot|cold
high|low good|bad better|worse best|worst easy|difficult safe|dangerous open|closed opened|closed opens|closes
start|end started|ended begins|ends began|ended join|leave joined|left enter|leave entered|left
arrived|departed attack|defend supported|opposed support|oppose supports|opposes agree|disagree agreed|refused
approve|reject approved|rejected improve|worsen improved|worsened improves|worsens reduce|raise reduced|raised
reduces|raises prevent|cause prevents|causes prevented|caused promote|inhibit promotes|inhibits
activated|inhibited activates|inhibits induces|suppresses induced|suppressed common|rare frequent|infrequent
many|few majority|minority maximum|minimum at_least|at_most up_to|at_least more_than|fewer_than over|under
near|far_from full|empty with|without wet|dry day|night morning|evening summer|winter urban|rural rich|poor
legal|illegal visible|hidden permanent|temporary direct|indirect similar|different same|opposite
significant|insignificant significantly|slightly effective|ineffective dependent|independent present|absent
presence|absence known|unknown free|paid cheap|expensive cheaper|dearer parents|children teacher|student
employer|employee landlord|tenant seller|buyer winner|loser leader|follower ally|enemy friend|rival
offence|defence export|import exports|imports exported|imported input|output increase_in|decrease_in
upstream|downstream acute|chronic primary|secondary senior|junior forward|backward enabled|disabled
remembers|forgets love|hate likes|dislikes
"""

SAME = """
big|large begin|start began|started begins|starts buy|purchase bought|purchased help|assist helps|assists
helped|assisted show|demonstrate shows|demonstrates showed|demonstrated use|utilise used|utilised
roughly|approximately almost|nearly also|additionally however|but quickly|rapidly often|frequently
rarely|seldom important|significant main|primary child|kid children|kids located|situated known_as|called
named|called created|made built|constructed find|discover found|discovered ended|finished ends|finishes
gets|obtains got|obtained keeps|retains kept|retained need|require needs|requires needed|required
choose|select chose|selected thus|therefore many|numerous several|a_number_of various|different area|region
town|township job|position film|movie car|automobile illness|disease doctor|physician college|university
people|persons person|individual receive|get receives|gets received|got provide|give provides|gives
provided|gave say|state says|states said|stated tell|inform told|informed allow|permit allows|permits
allowed|permitted happen|occur happens|occurs happened|occurred increase|grow decreased|dropped grew|increased
rapidly|quickly reduce|lower reduced|lowered reduces|lowers total|overall annually|every_year
monthly|every_month daily|every_day yearly|annually usually|generally normally|usually initially|at_first
finally|in_the_end currently|at_present later|afterwards previously|before study|investigation
results|findings method|approach aim|goal evaluate|assess evaluated|assessed examined|investigated
"""

PLAINER = """
obtain|get commence|begin assistance|help information|details regarding|about concerning|about prior_to|before
in_order_to|to ensure|make_sure ensures|makes_sure someone|a_person somebody|someone a_lot_of|many
sufficient|enough which_is|that_is which_are|that_are provided_by|given_by at_the_moment|now in_total|altogether
apply_for|make_an_application_for contact|get_in_touch_with complete_the|fill_in_the due_to|because_of
because_of|owing_to whether_or_not|whether paid_for_by|funded_by free_of_charge|for_free pupils|students
allows_you_to|lets_you live_in|reside_in lives_in|resides_in tell_you|let_you_know take_part_in|participate_in
change|alter changed|altered remain|stay remains|stays
"""

HEDGES = """
may|will might|will could|will can|must should|must some|all many|all most|all often|always usually|always
generally|always sometimes|always likely|certain probably|certainly possibly|definitely possible|certain
suggests|proves suggest|prove suggested|proved indicates|proves indicate|prove indicated|proved
appears_to|is_known_to appear_to|are_known_to seems_to|is_known_to believed|proven thought|proven
reportedly|certainly alleged|proven allegedly|definitely associated_with|caused_by linked_to|caused_by
about|exactly around|exactly approximately|exactly nearly|exactly almost|exactly partly|entirely
partially|fully mainly|only mostly|only primarily|only in_part|entirely at_least|exactly up_to|exactly
if|because planned|completed proposed|adopted
"""

DUTIES = """
must|may must|can must|should must|need_not must|do_not_have_to have_to|may have_to|can has_to|may need_to|may
must_not|need_not must_not|do_not_have_to must_not|may cannot|need_not cannot|must can't|can mustn't|needn't
do_not_have_to|must_not do_not_have_to|have_to don't_have_to|have_to do_not_need_to|must need_not|must
does_not_have_to|has_to does_not_have_to|must_not should|must should|need_not can|must can|have_to may|must may|has_to
are_required_to|are_free_to is_required_to|is_free_to are_required_to|are_not_required_to are_obliged_to|are_allowed_to
are_entitled_to|are_obliged_to is_entitled_to|is_obliged_to are_allowed_to|are_required_to ought_to|must
are_not_allowed_to|are_not_required_to are_not_required_to|are_not_allowed_to are_not_obliged_to|are_obliged_to
"""

UNITS = """
kilometres|miles kilometers|miles km|miles miles|kilometres metres|feet meters|feet feet|metres m|ft kg|lb
kilograms|pounds pounds|kilograms tonnes|kilograms grams|kilograms litres|gallons million|billion
billion|million thousand|million hundred|thousand percent|per_mille seconds|minutes minutes|hours hours|days
days|weeks weeks|months months|years years|months year|month month|year week|month day|week hours|minutes
decades|years centuries|decades euro|pounds euros|pounds dollars|euros weekly|monthly monthly|annually
annually|monthly mm|cm cm|mm mg|g g|mg acres|hectares hectares|acres
"""

ADDITIONS = (
    ", according to a later report",
    " for the first time",
    ", despite strong opposition",
    " with the support of the government",
    ", mainly because of its low cost",
    " within two weeks",
    " together with his brother",
    ", which was later confirmed by experts",
    " at no extra cost",
    ", as agreed the year before",
    " in front of a large audience",
    ", making it the only one of its kind",
    " after a long legal dispute",
    ", and won an award for it",
    " without any further conditions",
    " for medical reasons",
    ", which surprised many observers",
    " during the summer months",
    ", especially among young people",
    " at the request of the council",
    ", free of charge",
    " and online",
    " under a new law",
    ", following a public vote",
    " by a wide margin",
    " on a trial basis",
)

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()


def pairs(table: str, *, both_ways: bool = True) -> dict[str, list[str]]:
    """Cells `a|b` as a look-up; an underscore stands for a space inside a phrase."""
    found: dict[str, list[str]] = {}
    for cell in table.split():
        left, right = cell.replace("_", " ").split("|")
        found.setdefault(left, []).append(right)
        if both_ways:
            found.setdefault(right, []).append(left)
    return found
