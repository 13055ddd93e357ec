"""The turns of phrase that tell a preference from a procedure: the tables behind `classify`, ten languages.

Each rule names the words of which one must occur, and patterns for lower-cased text: `opens` where a clause begins,
`holds` anywhere. Rules stand in order: a correction of a preference is a correction. What no rule knows is a durable
fact, the kind that is kept longest and merged most carefully, so not knowing costs nothing.
"""

import re
from typing import NamedTuple


class Rule(NamedTuple):
    category: str
    words: frozenset[str]
    opens: re.Pattern[str] | None
    holds: re.Pattern[str] | None


def _rule(category: str, words: str, *, opens: tuple[str, ...] = (), holds: tuple[str, ...] = ()) -> Rule:
    return Rule(category, frozenset(words.split()), _either(opens), _either(holds))


def _either(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile("|".join(patterns)) if patterns else None


CLAUSE = re.compile(r"[.!?;:\n]\s*|, |- ")
"""what ends one clause and begins the next"""

_PLEASE = r"(?:please,? |kindly )?"

_CORRECTIONS = (
    _rule(
        "correction",
        "actually correction scratch",
        opens=(
            r"(?:(?:oh|no|well|sorry),? )?actually,? (?:it|the|my|our|his|her|their|that|this|we|i|not|no|there)\b",
            r"correction\b",
            r"scratch that\b",
        ),
        holds=(r"\b(?:the|my|our|its|his|her|their) [^.!?\n]{1,30} (?:is|are|was|were) actually\b",),
    ),
    _rule(
        "correction",
        "meant misspoke mistaken wrong typo correct",
        opens=(r"(?:no,? )?(?:that's|that is|that was) (?:wrong|not (?:right|correct))\b",),
        holds=(r"\bi (?:meant|misspoke|was mistaken|was wrong|made a (?:mistake|typo))\b", r"\blet me correct\b"),
    ),
    _rule("correction", "sorry no", opens=(r"(?:sorry|no),? (?:it's|it is|that's|the|my|our) [^?\n]{1,60}, not\b",)),
    _rule(
        "correction",
        "eigentlich korrektur meinte falsch stimmt",
        opens=(r"(?:nein,? )?eigentlich (?:ist|sind|war|heißt)\b", r"korrektur\b"),
        holds=(r"\bich meinte\b", r"\bdas (?:ist|war) falsch\b", r"\bdas stimmt (?:so )?nicht\b"),
    ),
    _rule(
        "correction",
        "fait réalité dire trompé trompée",
        opens=(r"(?:non,? )?en (?:fait|réalité),? (?:le|la|les|c'est|mon|ma|il|elle)\b",),
        holds=(r"\bje voulais dire\b", r"\bje me suis trompée?\b"),
    ),
    _rule(
        "correction",
        "realidad decir corrección equivoqué verdade correção enganei dizer realtà correzione dire sbagliato",
        opens=(
            r"(?:no,? )?en realidad\b",
            r"(?:não,? )?na verdade\b",
            r"(?:no,? )?in realtà\b",
            r"corre(?:cción|ção|zione)\b",
        ),
        holds=(r"\bquería decir\b", r"\bme equivoqué\b", r"\bquis dizer\b", r"\benganei-me\b", r"\bvolevo dire\b"),
    ),
    _rule(
        "correction",
        "vlastně oprava myslel myslela spletl spletla",
        opens=(r"(?:ne,? )?vlastně\b", r"oprava\b"),
        holds=(r"\bmyslela? jsem\b", r"\bspletla? jsem\b"),
    ),
    _rule(
        "correction",
        "деле точнее имел имела исправление ошибся ошиблась",
        opens=(r"(?:нет,? )?на самом деле\b", r"(?:исправление|точнее)\b"),
        holds=(r"\bимела? в виду\b", r"\bошиб(?:ся|лась)\b"),
    ),
)

_DECIDED = r"(?:decided|agreed (?:to|on|that)|chose|chosen|settled on|opted (?:for|to)|concluded that)"
_DECISIONS = (
    _rule(
        "decision",
        "decided agreed chose chosen settled decision concluded opted",
        opens=(r"decision(?: \d+| made)?:",),
        holds=(
            rf"\b(?:we|they|team|board|group)(?:'ve| have|'d| had)? (?:now |finally |all |just |both )?{_DECIDED}\b",
            r"\bi(?:'ve| have)? (?:now |finally |just )?(?:decided|settled on|opted)\b",
            r"\bthe decision (?:is|was)\b",
            r"\bit was decided\b",
        ),
    ),
    _rule(
        "decision", "going went go", holds=(r"\b(?:let's go|we (?:went|will go|'ll go)|(?:we're|we are) going) with\b",)
    ),
    _rule(
        "decision",
        "entschieden beschlossen décidé convenu",
        holds=(
            r"\b(?:haben|habe|wurde) [^.!?\n]{0,60}(?:entschieden|beschlossen)\b",
            r"\b(?:avons|ai|été|ont) (?:décidé|convenu)\b",
        ),
    ),
    _rule(
        "decision",
        "decidido acordado acordamos decidimos deciso decidemmo concordato",
        holds=(
            r"\b(?:hemos|he|se ha|foi|está) (?:decidido|acordado)\b",
            r"\b(?:decidimos|acordamos|decidemmo)\b",
            r"\b(?:abbiamo|ho) (?:deciso|concordato)\b",
        ),
    ),
    _rule(
        "decision",
        "rozhodli rozhodl rozhodla dohodli решили решил решила договорились постановили",
        holds=(
            r"\b(?:rozhodli|dohodli|rozhodla?) (?:jsme|jsem)\b",
            r"\bjs(?:me|em) se (?:rozhodli|dohodli|rozhodla?)\b",
            r"\b(?:решили|решила|решил|договорились|постановили)\b",
        ),
    ),
)

_PASSING = (
    r"(?:in (?:a|the|another) (?:meeting|call)|on (?:a call|my way|the phone|the train)|busy|hungry|tired|starving|"
    r"driving|at lunch|bored|sleepy|late)"
)
_TRANSIENT = (
    _rule(
        "transient",
        "remind wake timer alarm",
        opens=(rf"{_PLEASE}(?:can you |could you )?remind me (?:in|at|to|later|tomorrow|tonight|when)\b",),
        holds=(r"\bset an? (?:timer|alarm)\b", r"\bwake me (?:up )?(?:in|at)\b"),
    ),
    _rule(
        "transient",
        "today tonight now one time once task question session message reply",
        holds=(
            r"^(?:just |only )?for (?:today|now|tonight|this (?:one|time|once|task|question|session|message|reply))\b",
        ),
    ),
    _rule(
        "transient",
        "meeting call busy hungry tired starving driving way phone train lunch bored sleepy late brb",
        opens=(
            rf"(?:sorry,? )?(?:i'm|i am|im|we're|we are) (?:\w+ ){{0,2}}{_PASSING}\b[^.!?\n]{{0,24}}(?:[.!]|$)",
            r"brb\b",
        ),
    ),
    _rule(
        "transient",
        "right moment back hold wait here",
        opens=(
            r"(?:i'm|i am) [^.!?\n]{1,40} (?:right now|at the moment)\s*(?:[.!]\s*)?$",
            r"(?:be right back|hold on|wait a (?:sec|second|minute|moment))\b",
            r"(?:lol )?i'm dying (?:over )?here\b",
        ),
    ),
    _rule(
        "transient",
        "erinnere gerade rappelle réunion recuérdame reunión lembre reunião ricordami riunione",
        holds=(
            r"\berinnere mich (?:in|um|an|morgen)\b",
            r"\bich bin gerade (?:in|im|auf|beim|unterwegs)\b",
            r"\brappelle-moi (?:dans|à|de|demain)\b",
            r"\bje suis en réunion\b",
            r"\brecuérdame (?:en|a|que|mañana)\b",
            r"\bestoy en una reunión\b",
            r"\blembre-me (?:em|de|às|daqui)\b",
            r"\bestou (?:em|numa) reunião\b",
            r"\bricordami (?:tra|fra|di|alle|domani)\b",
            r"\bsono in riunione\b",
        ),
    ),
    _rule(
        "transient",
        "připomeň schůzce напомни напомните совещании",
        holds=(
            r"\bpřipomeň mi\b",
            r"\bjsem na schůzce\b",
            r"\bнапомни(?:те)? мне\b",
            r"\bя (?:сейчас )?на совещании\b",
        ),
    ),
)

# "First we went to Rome, then …" is a story; a step begins with its verb.
_NO_STORY = r"(?!(?:i|we|he|she|they|it|you|my|our|the|of|time|thing|day|night|place|date|one|in|a|an|there|his|her)\b)"
_STEP_VERB = (
    r"(?:run|use|open|press|click|call|type|edit|set|go|execute|start|copy|create|install|push|merge|build|restart|"
    r"select|enter|add)"
)
_PROCEDURES = (
    _rule(
        "procedure",
        "first",
        opens=(rf"first,? {_NO_STORY}[^\n]{{3,200}}?\b(?:then|afterwards|after that|next|finally),? {_NO_STORY}\w",),
    ),
    _rule(
        "procedure",
        "to how steps step",
        holds=(
            r"^(?:here is |this is )?(?:how to|to) \w[^.!?\n:,]{0,60}: ",
            r"^steps? (?:to|for|1)\b",
            r"\bstep 1\b",
            rf"^to \w[^.!?\n:,]{{1,60}}, (?:first |please |just |always )?{_STEP_VERB}\b",
        ),
    ),
    _rule(
        "procedure",
        "zuerst zunächst abord primero primeiro prima",
        opens=(
            r"(?:zuerst|zunächst)\b[^\n]{3,200}?\b(?:dann|danach|anschließend)\b",
            r"d'abord\b[^\n]{3,200}?\b(?:puis|ensuite)\b",
            r"primero\b[^\n]{3,200}?\b(?:luego|después)\b",
            r"primeiro\b[^\n]{3,200}?\b(?:depois|em seguida)\b",
            r"prima\b[^\n]{3,200}?\b(?:poi|quindi|dopo)\b",
        ),
    ),
    _rule(
        "procedure",
        "nejdřív nejdříve nejprve сначала",
        opens=(
            r"(?:nejdřív|nejdříve|nejprve)\b[^\n]{3,200}?\b(?:pak|potom)\b",
            r"сначала\b[^\n]{3,200}?\b(?:потом|затем)\b",
        ),
    ),
)

_TALK = (
    r"(?:answer|reply|respond|write|speak|talk|address|call|explain|greet|format|sign|summari[sz]e|refer|translate|cite|"
    r"keep (?:it|your|answers|replies))"
)
_MANNERS = (
    _rule(
        "preference",
        "always never ever",
        opens=(
            rf"{_PLEASE}(?:always|never|don't ever) {_TALK}\b",
            rf"{_PLEASE}(?:always|never) [^.!?\n]{{3,100}}? when (?:i|we) (?:ask|talk|write|mention|request|say)\b",
        ),
    ),
    _rule(
        "preference",
        "answer reply respond speak talk write call address keep",
        opens=(
            rf"{_PLEASE}(?:answer|reply|respond|speak|talk|write) (?:to )?(?:me|in)\b",
            rf"{_PLEASE}(?:you can |just )?call me \w",
            rf"{_PLEASE}keep (?:your |the )?(?:answers?|repl(?:y|ies)|responses?|it) \w+",
            rf"{_PLEASE}address me\b",
        ),
    ),
    _rule(
        "preference",
        "use",
        opens=(
            rf"{_PLEASE}use [^.!?\n]{{1,40}} (?:when you (?:talk|write|speak|answer)|in your (?:answers|replies))\b",
        ),
    ),
    _rule(
        "preference",
        "duze sieze nenn nenne antworte",
        holds=(
            r"\b(?:duze|sieze|nenn|nenne) (?:mich|bitte)\b",
            r"\bantworte (?:mir |bitte |immer |auf |kurz )",
        ),
    ),
    _rule(
        "preference",
        "réponds appelle tutoie vouvoie respóndeme responde llámame responda chame rispondi rispondimi chiamami",
        holds=(
            r"\b(?:réponds|appelle|tutoie|vouvoie)-moi\b",
            r"\bréponds (?:toujours|en)\b",
            r"\b(?:respóndeme|responde|responda)(?:-me)? (?:siempre|sempre|en|em)\b",
            r"\b(?:llámame|chame-me|chiamami)\b",
            r"\brispondi(?:mi)? (?:sempre|in)\b",
        ),
    ),
    _rule(
        "preference",
        "odpovídej říkej отвечай отвечайте называй называйте зови зовите",
        holds=(r"\bodpovídej\b", r"\bříkej mi\b", r"\bотвечай(?:те)?\b", r"\b(?:называй|зови)(?:те)? меня\b"),
    ),
)

# "I have never been there" tells; "never deploy on Friday" orders.
_NO_TALE = (
    r"(?!(?:been|had|was|is|will|wanted|liked|loved|thought|knew|mind|a|the|have|felt|enjoyed|found|seen|tried|did|do|"
    r"does|got|be|mean|in|so|really|know|heard|ends|gets|makes|good|great|glad|nice|happy|give|look|too|up)\b)"
)
# "That must be fun" guesses.
_NO_GUESS = r"(?!have\b|admit\b|say\b|feel\b|know\b|love\b|be (?:nice|fun|hard|great|so|such|really|a|an|proud)\b)"
_CONSTRAINTS = (
    _rule(
        "constraint",
        "never always",
        opens=(rf"{_PLEASE}(?:(?:you|we) should |you must |remember to |make sure to )?(?:never|always) {_NO_TALE}\w",),
    ),
    _rule(
        "constraint",
        "must mustn shall",
        holds=(rf"\b(?<!\bi )(?<!\bit )(?:must|shall)(?: not|n't| never| always| only)? {_NO_GUESS}\w",),
    ),
    _rule(
        "constraint",
        "allowed permitted forbidden prohibited mandatory banned circumstances required",
        holds=(
            r"\b(?:not|n't|never|only) (?:be )?(?:allowed|permitted)\b",
            r"\b(?:is|are|strictly) (?:forbidden|prohibited|mandatory|banned)\b",
            r"\bunder no circumstances\b",
            r"\b(?:is|are) required (?:to|for|before)\b",
        ),
    ),
    _rule(
        "constraint",
        "do don avoid",
        opens=(
            rf"{_PLEASE}(?:do not|don't) (?!(?:worry|know|think|you|they|we|i|it|forget|mind|have|get|be|let)\b)\w",
        ),
        holds=(rf"^{_PLEASE}avoid \w",),
    ),
    _rule(
        "constraint",
        "rule policy",
        holds=(r"\b(?:team|house|company|hard|golden) rule\b", r"\bour (?:rule|policy) (?:is|says)\b"),
    ),
    _rule(
        "constraint",
        "niemals nie darf dürfen muss müssen verboten",
        opens=(r"(?:bitte )?(?:niemals|nie) \w",),
        holds=(
            r"\bd(?:arf|ürfen) (?:nicht|nie|nur|kein)",
            r"\b(?:muss|müssen) [^.!?\n]{1,60}(?:sein|werden)\b",
            r"\bverboten\b",
        ),
    ),
    _rule(
        "constraint",
        "jamais interdit faut doit doivent",
        holds=(
            r"\bne [^.!?\n]{1,30} jamais\b",
            r"\binterdit\b",
            r"\bil (?:ne )?faut\b",
            r"\bdoi(?:t|vent) (?:être|toujours)\b",
        ),
    ),
    _rule(
        "constraint",
        "nunca jamás prohibido debe deben proibido deve devem mai vietato devono",
        opens=(r"(?:por favor,? )?(?:nunca|jamás|mai) \w", r"non [^.!?\n]{1,30} mai\b"),
        holds=(
            r"\b(?:prohibido|proibido|vietato)\b",
            r"\bde[bv]em? (?:ser|estar|siempre|sempre)\b",
            r"\bdeben? (?:ser|estar|siempre)\b",
            r"\bdev(?:e|ono) (?:essere|sempre)\b",
        ),
    ),
    _rule(
        "constraint",
        "nikdy musí nesmí zakázáno никогда нельзя должен должна должны запрещено",
        opens=(r"nikdy \w", r"никогда \w"),
        holds=(
            r"\bnesmí\b",
            r"\bmusí být\b",
            r"\bzakázáno\b",
            r"\bнельзя\b",
            r"\bдолж(?:ен|на|ны) \w",
            r"\bзапрещено\b",
        ),
    ),
)

_VERY = r"(?:really |absolutely |just |always |generally |usually |strongly |would |also |do |much )?"
_NO_PRAISE = r"(?!that idea|how|it when|your|this|it!|it\.|seeing|hearing)"
_PREFERENCES = (
    _rule(
        "preference",
        "prefer hate dislike loathe adore detest stand rather",
        holds=(
            rf"\b(?:i|we) {_VERY}(?:prefer|hate|dislike|loathe|adore|detest|can't stand|cannot stand)\b",
            rf"\b(?:i'd|i would|we'd|we would) {_VERY}(?:rather|prefer)\b",
        ),
    ),
    _rule(
        "preference",
        "like love enjoy",
        holds=(rf"\b(?:i|we) (?:really |absolutely |don't |do not )?(?:like|love|enjoy) {_NO_PRAISE}\w",),
    ),
    _rule(
        "preference",
        "favourite favorite preference preferred fan prefers",
        opens=(r"preference:",),
        holds=(
            r"\b(?:my|our) (?:all-time )?(?:favou?rite|preference|preferred)\b",
            r"\bi'm (?:not )?a (?:big |huge )?fan\b",
            r"\b\w+ prefers\b",
        ),
    ),
    _rule("preference", "now", holds=(r"\bfrom now on\b",)),
    _rule(
        "preference",
        "bevorzuge lieber mag hasse liebe liebsten",
        holds=(r"\bich (?:bevorzuge|mag|hasse|liebe|würde lieber)\b", r"\b(?:lieber|am liebsten)\b"),
    ),
    _rule(
        "preference",
        "préfère déteste aime adore",
        holds=(r"\bje (?:préfère|déteste|n'aime pas)\b", r"\bj'(?:aime|adore)\b"),
    ),
    _rule(
        "preference",
        "prefiero gusta gustan encanta encantan odio prefiro gosto adoro odeio preferisco piace piacciono detesto",
        holds=(
            r"\b(?:prefiero|odio|prefiro|odeio|preferisco|detesto)\b",
            r"\bme (?:gusta|encanta)n?\b",
            r"\b(?:gosto de|não gosto|adoro)\b",
            r"\bmi pia(?:ce|cciono)\b",
        ),
    ),
    _rule(
        "preference",
        "preferuji preferuju radši raději nesnáším rád ráda предпочитаю ненавижу люблю нравится",
        holds=(
            r"\b(?:preferuj[iu]|radši|raději|nesnáším)\b",
            r"\bmám ráda?\b",
            r"\b(?:предпочитаю|ненавижу|люблю)\b",
            r"\bмне (?:не )?нравится\b",
        ),
    ),
)

RULES: tuple[Rule, ...] = (
    *_CORRECTIONS,
    *_DECISIONS,
    *_TRANSIENT,
    *_PROCEDURES,
    *_MANNERS,
    *_CONSTRAINTS,
    *_PREFERENCES,
)
BY_WORD: dict[str, tuple[int, ...]] = {}
for _index, _known in enumerate(RULES):
    for _word in _known.words:
        BY_WORD[_word] = (*BY_WORD.get(_word, ()), _index)
CATEGORY_WORDS = frozenset(BY_WORD)


def _unspaced(category: str, *patterns: str) -> tuple[str, re.Pattern[str]]:
    return category, re.compile("|".join(patterns))


# Chinese and Japanese write no spaces, so there are no words to ask for first.
UNSPACED_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    _unspaced(
        "correction",
        r"^(?:不对|不是|更正|纠正|其实|实际上)[，,：: ]|我(?:的意思是|是说|说错了)",
        r"^(?:訂正|いや、|実は)|間違えました|ではなく|じゃなくて",
    ),
    _unspaced(
        "decision",
        r"(?:我们|我|团队|大家)(?:最终|已经|一致)?(?:决定|商定|选定)",
        r"決定しました|ことに(?:しました|決めました|決まりました)",
    ),
    _unspaced(
        "transient",
        r"提醒我|我(?:现在)?(?:正在|在)开会|分钟后(?:叫|提醒)",
        r"今は?会議中|(?:分後|時間後)に(?:教えて|知らせて)",
    ),
    _unspaced(
        "procedure",
        r"(?:首先|先)[^。\n]{2,80}?(?:然后|接着|最后)|第一步",
        r"まず[^。\n]{2,80}?(?:次に|それから|その後)",
    ),
    _unspaced(
        "preference",
        r"(?:用|以)[^。\n]{1,12}(?:回答|回复)|叫我|称呼我",
        r"で(?:答えて|返事して|話して)ください|と呼んでください",
    ),
    _unspaced(
        "constraint",
        r"^(?:请|請)?(?:不要|别)|[，。](?:请|請)?不要|禁止|(?<!得)不得(?!了|不)|不准|必须|务必|绝不|切勿",
        r"てはいけ(?:ません|ない)|ないでください|なければな(?:りません|らない)|必ず",
    ),
    _unspaced(
        "preference",
        r"我(?:更|比较|最|不|很|特别|非常)?(?:喜欢|偏好|讨厌|爱吃|爱喝)|我宁愿",
        r"(?:が|は)?(?:好き|嫌い)(?:です|だ|な)|が(?:好き|嫌い)|好みます|の方がいい",
    ),
)

_STEP = re.compile(r"(?:^|[\s(])([1-9])[.):]\s")
_STEP_LEADS = """steps step how guide procedure process recipe instructions install setup release deploy schritte
anleitung étapes procédure pasos passos passi procedura kroky postup шаги"""
_LEADS = frozenset(_STEP_LEADS.split())


def is_list_of_steps(opening: str, seen: frozenset[str]) -> bool:
    """A numbered list that is the text or is announced as steps; lists of tips and prices are not procedures."""
    if "1" not in opening or "2" not in opening or (opening[0] not in "1(" and _LEADS.isdisjoint(seen)):
        return False
    numbers = "".join(_STEP.findall(opening))
    return "123" in numbers or ("12" in numbers and "\n" in opening)


_THANKS = """thanks thank thx ok okay great cool nice hi hello hey lol haha yes yep no nope sure bye danke merci gracias
obrigado obrigada grazie děkuji díky спасибо 谢谢 好的 ありがとう morning"""
_AND_SO_ON = """you so much very a lot again that s is was it great perfect helpful good nice fine works work got there
sounds awesome cool all for the your help ございます schön vielmals beaucoup muchas mille thank ok lol"""
_POLITE = frozenset(_THANKS.split())
_POLITE_REST = _POLITE | frozenset(_AND_SO_ON.split())
_POLITE_WORDS = 8


def is_acknowledgement(words: list[str]) -> bool:
    """Thanks, greetings and the like: said to be polite, not to be kept."""
    return 0 < len(words) <= _POLITE_WORDS and not _POLITE.isdisjoint(words) and _POLITE_REST.issuperset(words)
