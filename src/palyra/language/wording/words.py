"""The words the rules of similarity rest on: tables only, no rules.

English first; the other languages hold what is cheap and safe. A word that is missing here costs a missed
conflict, never a wrong merge, because equality is decided without these tables.
"""

from collections.abc import Iterable


def _pairs(table: str) -> frozenset[tuple[str, str]]:
    """Both orders of every `a/b` in the table."""
    split = [tuple(pair.split("/")) for pair in table.split()]
    return frozenset((a, b) for a, b in split) | frozenset((b, a) for a, b in split)


def _forms(bases: Iterable[str]) -> dict[str, str]:
    """Each present form of a regular English verb, to its base."""
    forms: dict[str, str] = {}
    for base in bases:
        stem = base.removesuffix("e")
        forms[base] = base
        if base.endswith("y") and base[-2] not in "aeiou":
            forms[f"{base[:-1]}ies"] = base
        else:
            forms[f"{base}es" if base.endswith(("s", "sh", "ch", "x")) else f"{base}s"] = base
        forms[f"{stem}ing"] = base
        if base[-1] in "nptgm" and base[-2] in "aeiou":
            forms[f"{base}{base[-1]}ing"] = base
    return forms


# Case: words whose capital letter is a different word.
_CAPITAL_IS_A_NAME = """may march will polish turkey china nice reading bath cork orange split bill mark rose grace
hope
faith joy jack sue rob frank dean miles chase pat art drew ruby swift apple shell target gap fish word access edge
sie ihr ihre ihnen ihren morgen weg arm essen"""
CAPITAL_IS_A_NAME = frozenset(_CAPITAL_IS_A_NAME.split())
_CAPITALS_ARE_A_NAME = "us it who aids"
CAPITALS_ARE_A_NAME = frozenset(_CAPITALS_ARE_A_NAME.split())
_BEFORE_A_MONTH = "in on since until by of early late mid last next this every"
BEFORE_A_MONTH = frozenset(_BEFORE_A_MONTH.split())
_CASE_COUNTS_AFTER = """password passphrase passcode username login token key secret pin passwort kennwort heslo
contraseña
senha clave пароль логин"""
CASE_COUNTS_AFTER = frozenset(_CASE_COUNTS_AFTER.split())

# Which language a short text is in, as far as the tables need it.
_ENGLISH = """the my i is are was we you he she it they and of with for has have this that our his her their not to
at on
use uses lives works likes prefers prefer like never always do does did every due after before by from it's i'm that's
he's she's don't doesn't isn't can't won't we're i've called"""
ENGLISH = frozenset(_ENGLISH.split())
_OTHER_LANGUAGES = """ist sind nicht der die das den dem ein eine ich wir mein meine und für mit auf wohnt wohne
heißt le
la les est et je mon ma notre des une pour avec dans pas el los es y que mi con para está en não é o um uma meu minha
il lo che di è sono mio mia per nel con je jsem v na se můj moje pro ne mám má и в на не мой моя я мы это для с"""

CONTRACTIONS = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "let's": ("let", "us"), "i'm": ("i", "am"), "it's": ("it", "is"), "that's": ("that", "is"), "he's": ("he", "is"),
    "she's": ("she", "is"), "there's": ("there", "is"), "what's": ("what", "is"), "here's": ("here", "is"),
    "who's": ("who", "is"), "where's": ("where", "is"), "dont": ("do", "not"), "doesnt": ("does", "not"),
    "isnt": ("is", "not"), "im": ("i", "am"), "ive": ("i", "have"),
}  # fmt: skip
CONTRACTED_ENDINGS = {"'re": "are", "'ve": "have", "'ll": "will"}
_ELIDED = "n l d j s qu m t c"
ELIDED = frozenset(_ELIDED.split())
ARTICLES = frozenset(("a", "an", "the"))
_AFTER_A_MEANT_ARTICLE = "few little lot bit couple number hundred thousand million dozen"
AFTER_A_MEANT_ARTICLE = frozenset(_AFTER_A_MEANT_ARTICLE.split())

# Numbers, dates, times, units.
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS = {word: str(n) for n, word in enumerate(_COUNTED.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS |= {word: str(n) for n, word in zip(range(20, 100, 10), _TENS.split(), strict=True)}
NUMBER_WORDS |= {"hundred": "100", "thousand": "1000"}
_COUNTED_ELSEWHERE = """zwei drei vier fünf sechs sieben acht neun zehn deux trois quatre cinq sept huit neuf dix dos
tres
cuatro cinco siete ocho nueve diez dois duas três quatro sete oito nove dez due tre quattro cinque sei sette otto dieci
dva dvě tři čtyři pět šest sedm osm devět deset два две три четыре пять шесть семь восемь девять десять"""
NUMBER_NAMES = frozenset(_COUNTED_ELSEWHERE.split()) | {"once", "twice"}
_MONTHS = """january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec"""
MONTHS = {name: n % 12 + 1 for n, name in enumerate(_MONTHS.split())} | {"sept": 9}
_MONTHS_ELSEWHERE = """januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août
septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile maggio
giugno luglio settembre ottobre dicembre ledna února března dubna května června července srpna září října listopadu
prosince leden únor březen duben květen červen červenec srpen říjen listopad prosinec января февраля марта апреля мая
июня июля августа сентября октября ноября декабря"""
MONTH_NAMES = frozenset(MONTHS) | frozenset(_MONTHS_ELSEWHERE.split())
_WEEKDAYS = """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
saturdays sundays mon tue tues wed thu thurs fri sat sun weekends weekdays montag dienstag mittwoch donnerstag freitag
samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado
domingo
segunda terça quarta quinta sexta segunda-feira terça-feira quarta-feira quinta-feira sexta-feira lunedì martedì
mercoledì giovedì venerdì sabato domenica pondělí úterý středu středa čtvrtek pátek sobotu sobota neděli neděle
понедельник вторник среду среда четверг пятницу пятница субботу суббота воскресенье"""
WEEKDAYS = frozenset(_WEEKDAYS.split())
_UNITS = """second s sec secs seconds 1; minute min mins minutes 60; hour h hr hrs hours 3600; day d days 86400;
week weeks wk 604800; month months 2629800; year years yr yrs 31557600; millisecond ms milliseconds .001"""
_SIZES = """byte bytes b 1; kilobyte kb kilobytes 1e3; megabyte mb megabytes 1e6; gigabyte gb gigabytes 1e9; terabyte
tb
terabytes 1e12; kibibyte kib 1024; mebibyte mib 1048576; gibibyte gib 1073741824; megabit Mb Mbps mbps 125e3;
gigabit Gb Gbps gbps 125e6"""
_LENGTHS = """metre meter meters metres m 1; kilometre km kilometer kilometers kilometres 1e3; centimetre cm
centimeters
.01; millimetre mm .001; mile miles mi 1609.344; foot feet ft .3048; inch inches .0254; yard yards .9144"""
_WEIGHTS = """gram g grams 1; kilogram kg kgs kilo kilos kilograms 1e3; milligram mg milligrams .001; pound lb lbs
pounds
453.59237; ounce oz ounces 28.3495; tonne t tonnes tons ton 1e6; microgram mcg µg 1e-6"""
_VOLUMES = "litre l liter liters litres 1; millilitre ml .001; decilitre dl .1; gallon gallons 3.785; pint pints .568"
_OTHERS = """percent % 1; celsius °c 1; fahrenheit °f 1; watt w watts 1; kilowatt kw kilowatts 1e3; hertz hz 1;
megahertz mhz 1e6; gigahertz ghz 1e9; volt volts v 1; ampere amps 1"""
_MONEY = """euro € euros eur 1; dollar $ dollars usd bucks 1; sterling £ gbp quid 1; yen ¥ jpy 1; koruna kč czk korun
1;
franc chf francs 1; ruble ₽ rub рублей 1; rupee ₹ inr rupees 1; yuan cny rmb 元 1"""


def _units(**tables: str) -> dict[str, tuple[str, str, float]]:
    """Every spelling, to (unit, dimension, size in the dimension's first unit)."""
    units: dict[str, tuple[str, str, float]] = {}
    for dimension, table in tables.items():
        for row in table.split(";"):
            unit, *spellings, size = row.split()
            of = dimension if dimension not in {"money", "other"} else unit
            units |= {spelling: (unit, of, float(size)) for spelling in (unit, *spellings)}
    return units


UNITS = _units(time=_UNITS, size=_SIZES, length=_LENGTHS, weight=_WEIGHTS, volume=_VOLUMES, other=_OTHERS, money=_MONEY)
CURRENCY_SIGNS = frozenset("€$£¥₽₹")

# What says no, and what says how much, how surely, when.
_NEGATIONS = """not no never none without nicht kein keine keinen keinem keiner nie niemals pas jamais plus aucun
aucune no
nunca ningún ninguna jamás não nunca nenhum nenhuma non mai nessun nessuna nikdy žádný žádná не нет никогда ni"""
NEGATIONS = frozenset(_NEGATIONS.split()) - {"without", "plus", "none", "mai"}
_HEDGES = """maybe perhaps probably possibly might could would may seems apparently supposedly allegedly guess think
vielleicht wahrscheinlich möglicherweise peut-être probablement quizás quizá tal-vez probablemente talvez provavelmente
forse probabilmente možná asi возможно может наверное"""
HEDGES = frozenset(_HEDGES.split())
_RELATIVE_DAYS = """today yesterday tomorrow tonight heute gestern aujourd'hui hier demain hoy ayer mañana hoje ontem
oggi
ieri domani dnes včera zítra сегодня вчера завтра"""
RELATIVE_DAYS = frozenset(_RELATIVE_DAYS.split())
_UPDATES = """now currently actually anymore nowadays instead henceforth jetzt nun mittlerweile inzwischen eigentlich
maintenant désormais dorénavant ahora agora adesso ora ormai teď nyní odteď vlastně теперь отныне сейчас"""
UPDATES = frozenset(_UPDATES.split())
_FADING = "still really simply please always already definitely certainly generally usually"
FADING = frozenset(_FADING.split()) - {"always", "already", "usually", "generally"}
_MEANING_WORDS = """all some any most many few several both every each only just also even sometimes often rarely
usually
always must should can may shall will would could might is was are were be been has have had am i you he she we they me
him them us my your his her our their its this that these those more less least than as if unless when while because
from to of with without into onto per via first last next previous and or but nor either neither"""
MEANING_WORDS = frozenset(_MEANING_WORDS.split())
"""grammar: two texts that differ in one of these differ, but not by a changed value"""
_PREPOSITIONS = """in on at for from to by with under over near behind before after until till since of as about into
per
every within around against during in auf an um bei für von bis aus à en au aux dans de du pour sur chez a el para por
em no na ao às alle al nel nella v ve na do od pro u k в на с до у за к по"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
_LIGHT = """about around exactly approximately roughly only always usually currently at-least up max maximum minimum
version number port level room every each per once the a an il la le el der die das ein eine um o os um uma un une"""
LIGHT = frozenset(_LIGHT.split())
_VAGUE_SUBJECTS = "it this that these those they here what which"
VAGUE_SUBJECTS = frozenset(_VAGUE_SUBJECTS.split())

# Values that exclude one another when they stand in the same place.
_COLOURS = """red blue green yellow black white grey gray orange purple pink brown beige silver gold navy teal
turquoise
rot blau grün gelb schwarz weiß rouge bleu vert jaune noir blanc rojo azul verde negro blanco červené modré zelené"""
_STATES = "draft open closed merged approved rejected pending cancelled done blocked resolved archived"
_BONDS = "single married divorced engaged widowed separated"
_CLOCKS = "daily hourly weekly monthly yearly quarterly nightly biweekly annually"
_PLACES = "upstairs downstairs abroad"
GROUPS = tuple(frozenset(group.split()) for group in (_COLOURS, _STATES, _BONDS, _CLOCKS, _PLACES))
_COUNTRIES = """portugal spain france germany italy austria switzerland poland czechia slovakia hungary ireland england
scotland wales britain uk usa us america canada mexico brazil argentina chile japan china korea india australia norway
sweden finland denmark netherlands belgium greece turkey ukraine russia romania bulgaria croatia serbia egypt kenya
europe asia africa california texas bavaria catalonia"""
COUNTRIES = frozenset(_COUNTRIES.split())
_WIDER = """world country city abroad region county state countryside town village suburb home office"""
WIDER = frozenset(_WIDER.split())

VERB_ANTONYMS = _pairs(
    """like/hate like/dislike love/hate love/dislike enjoy/hate enjoy/dislike enable/disable open/close start/stop
    allow/forbid allow/deny allow/block allow/prohibit permit/forbid permit/deny accept/reject accept/decline
    accept/refuse include/exclude increase/decrease raise/lower show/hide lock/unlock add/remove win/lose pass/fail
    agree/disagree support/oppose approve/reject mount/unmount connect/disconnect keep/delete keep/discard keep/remove
    attend/skip trust/distrust succeed/fail encourage/discourage begin/end install/uninstall subscribe/unsubscribe
    activate/deactivate expand/collapse freeze/thaw freeze/unfreeze pin/unpin mute/unmute follow/unfollow
    stay/leave avoid/use ban/allow confirm/deny confirm/cancel confirmed/cancelled adore/hate adore/detest love/detest
    like/detest love/loathe like/loathe want/refuse arrive/depart
    mag/hasse liebt/hasst mag/hasst liebe/hasse aktiviere/deaktiviere aktivieren/deaktivieren
    aime/déteste adore/déteste activer/désactiver active/désactive amo/odio ama/odia gusta/disgusta activar/desactivar
    activa/desactiva adoro/odeio adora/odeia gosto/odeio ativar/desativar ativa/desativa amo/odio piace/dispiace
    attiva/disattiva attivare/disattivare zapni/vypni zapnout/vypnout povol/zakaž miluju/nesnáším miluje/nesnáší
    люблю/ненавижу любит/ненавидит включи/выключи включить/выключить"""
)
OTHER_ANTONYMS = _pairs(
    """open/closed on/off true/false enabled/disabled hot/cold good/bad high/low big/small large/small long/short
    fast/slow early/late easy/hard easy/difficult safe/dangerous safe/unsafe cheap/expensive full/empty alive/dead
    present/absent required/optional mandatory/optional public/private online/offline up/down left/right
    left-handed/right-handed vegetarian/carnivore wet/dry clean/dirty strong/weak rich/poor light/dark heavy/light
    new/old young/old happy/sad busy/free busy/idle in/out inside/outside indoors/outdoors above/below over/under
    before/after with/without since/until ascending/descending first/last manual/automatic internal/external
    local/remote synchronous/asynchronous sync/async temporary/permanent allowed/forbidden allowed/prohibited
    allowed/banned legal/illegal locked/unlocked broken/working broken/fixed passing/failing healthy/sick healthy/ill
    pregnant/infertile positive/negative valid/invalid won/lost passed/failed accepted/rejected approved/rejected
    included/excluded cancelled/confirmed postponed/confirmed available/sold active/retired right/wrong correct/wrong
    correct/incorrect introvert/extrovert morning/evening day/night male/female man/woman boy/girl sweet/savoury
    north/south east/west northern/southern minimum/maximum min/max at-least/at-most upper/lower horizontal/vertical
    parallel/sequential stable/unstable started/stopped running/stopped better/worse more/less larger/smaller
    bigger/smaller higher/lower older/younger faster/slower taller/shorter longer/shorter cheaper/pricier earlier/later
    tabs/spaces tab/space always/never always/rarely often/rarely often/never sometimes/never usually/never
    offen/geschlossen an/aus ein/aus vor/nach mit/ohne immer/nie wahr/falsch gut/schlecht groß/klein
    ouvert/fermé ouverte/fermée avant/après avec/sans toujours/jamais vrai/faux abierto/cerrado abierta/cerrada
    antes/después con/sin siempre/nunca aberto/fechado aberta/fechada antes/depois com/sem sempre/nunca
    aperto/chiuso aperta/chiusa prima/dopo con/senza sempre/mai otevřeno/zavřeno otevřený/zavřený před/po s/bez
    vždy/nikdy открыт/закрыт открыта/закрыта открыто/закрыто до/после с/без всегда/никогда"""
)
QUANTIFIER_ANTONYMS = _pairs(
    """all/no all/none every/no everybody/nobody everyone/nobody everyone/no-one everything/nothing some/no any/no
    a/no many/no alle/keine tous/aucun todos/ningún todos/nenhum tutti/nessuno všichni/nikdo все/никто"""
)
_NOT_OPPOSITES = """form/inform port/import side/inside press/impress come/income deed/indeed vest/invest prove/improve
tend/intend dependent/independent play/display cover/discover miss/dismiss part/impart pact/impact pulse/impulse
crease/increase put/input stall/install sect/insect stance/instance sure/insure land/inland tense/intense flame/inflame
ability/disability door/indoor till/until like/unlike less/unless der/under"""
NOT_OPPOSITES = _pairs(_NOT_OPPOSITES) - {("dependent", "independent"), ("independent", "dependent")}

# Verbs: what can hold one value, what holds many, what happened once.
_COPULAS = "is are was were am be :"
COPULAS = frozenset(_COPULAS.split())
_FUNCTIONAL = """live:in,at,on,near reside:in,at work:at,for,as,in,from study:at cost: weigh: run:on,at,every listen:on
start:at,on,in,with begin:at,on,in end:at,on,in finish:at,on open:at,on close:at,on expire:in,on,after,at rotate:every
retry: renew:on,every,in last: belong:to report:to default:to point:to,at resolve:to map:to depart:at,from,on
arrive:at,on
land:at,on,in wake:up,at sleep:in,at,until meet:at,on,in,every earn: charge: measure: total: equal: host:in,on,at
store:in,on,at keep:in,on,at,under save:in,to,on put:in,on,under name: call: set:to,at refresh:every poll:every
restart:every,at sync:every,at,to bill:on,every reply:in,with,within answer:in respond:in,within write:in speak:in
indent:with,by sort:by format:with,in,as park:in,at,on retire:in,at,on graduate:in cap:at limit:to,at
depend:on rely:on ship:on,in,from launch:on,in,at happen:on,at,in,every occur:on,at,in,every take:place deploy:every
leave:at,on,from fly:at,on,from drive: sit:in,at,near hover:at stay:at,in cover: address:
come:from,on,at release:on,in,every publish:on,every log:to back:up print:on,in bind:to connect:to pin:to require:
need: support:
allow: contain: hold: fit: include: serve: handle: accept: offer: aim:for,at"""


def _functional(table: str) -> dict[str, frozenset[str]]:
    rows = (row.partition(":") for row in table.split())
    return {verb: frozenset(leads.split(",")) - {""} for verb, _, leads in rows}


FUNCTIONAL_LEADS = _functional(_FUNCTIONAL)
_COUNTING_ONLY = """drive read own cover require need support allow contain hold fit include serve handle accept offer
cap limit deploy take stand sync last cost weigh earn measure total charge"""
COUNTING_ONLY = frozenset(_COUNTING_ONLY.split())
"""many things at once, but one number of them"""
FUNCTIONAL = _forms(FUNCTIONAL_LEADS)
_SET_LIKE = """like love hate enjoy have know speak play want collect teach learn visit buy eat drink watch follow
manage
lead help admire dislike support sell make build cook grow study train see hear feel think say tell ask try go
recommend suggest wear bring carry send get give find show contain"""
SET_LIKE = _forms(_SET_LIKE.split()) | {"has": "have", "got": "have", "does": "do", "goes": "go"}
_WITH_OBJECT = "store keep save put park write set reply answer respond call name host sort format indent"
WITH_OBJECT = frozenset(_WITH_OBJECT.split())
"""something may stand between the verb and its preposition: store the keys in ..."""
_USING = "use using uses prefer prefers preferring choose chooses pick picks favour favours favor favors"
USING = frozenset(_USING.split())
_PREFERRING = "prefer prefers preferring favour favours favor favors"
PREFERRING = frozenset(_PREFERRING.split())
_PURPOSES = "for as to when für als pour comme para como per come pro jako для как"
PURPOSES = frozenset(_PURPOSES.split())
_PARTICIPLES = """called named located based hosted scheduled set due written deployed stored owned led managed
maintained
paid licensed parked booked planned assigned born married engaged priced rated worth limited capped pinned reserved
expected chaired headed run kept configured sized built signed moved rescheduled postponed pushed registered employed
running listening living working staying valid titled labelled known sponsored taught hidden"""
PARTICIPLES = frozenset(_PARTICIPLES.split())
_PASTS = """went ate bought saw met drank ran wrote sent spent paid got gave took made had did said told came found
left
felt thought knew read won lost sold caught taught sang swam drove flew broke fell held kept slept spoke stood wore
built
brought began chose forgot grew heard hid hurt led lent let put quit rode rose sat shot shut sank stole struck swore
threw
woke"""
PASTS = frozenset(_PASTS.split()) - {"read", "put", "let", "shut", "quit", "hurt", "rose"}
IRREGULAR = {
    "went": "go", "goes": "go", "gone": "go", "has": "have", "had": "have", "ate": "eat", "bought": "buy", "saw":
"see",
    "met": "meet", "drank": "drink", "ran": "run", "wrote": "write", "sent": "send", "spent": "spend", "paid": "pay",
    "got": "get", "gave": "give", "took": "take", "made": "make", "said": "say", "told": "tell", "came": "come",
    "found": "find", "left": "leave", "felt": "feel", "thought": "think", "knew": "know", "won": "win", "lost": "lose",
    "sold": "sell", "taught": "teach", "kept": "keep", "slept": "sleep", "spoke": "speak", "drove": "drive",
    "flew": "fly", "broke": "break", "brought": "bring", "began": "begin", "chose": "choose", "forgot": "forget",
    "wore": "wear", "is": "be", "are": "be", "was": "be", "were": "be", "am": "be", "built": "build", "held": "hold",
}  # fmt: skip

_COPULAS_ELSEWHERE = "ist sind war bin est sont était suis es son está están era é são è sono je jsou byl jsem это ser"
COPULAS_ELSEWHERE = frozenset(_COPULAS_ELSEWHERE.split())
_FUNCTIONAL_ELSEWHERE = """wohne wohnt wohnen lebe lebt leben heiße heißt heisst arbeite arbeitet kostet wiegt läuft
beginnt
endet startet liegt bevorzuge bevorzugt nutze nutzen verwende verwenden habite habites vis vit appelle travaille coûte
pèse commence termine préfère vivo vive vivimos llama llamo trabajo trabaja cuesta pesa empieza termina prefiero
prefiere
parte partono abfährt fährt part sale odjíždí отправляется moro mora chama chamo chama-se chamo-me trabalho trabalha
custa começa prefiro prefere abito abita vivo chiama chiamo lavoro lavora costa
inizia finisce preferisco preferisce bydlím bydlí žiju žije jmenuje jmenuji jmenuju pracuji pracuju pracuje stojí váží
začíná končí preferuji preferuju běží живу живет живёт зовут работаю работает стоит начинается заканчивается
предпочитаю предпочитает весит находится"""
FUNCTIONAL_ELSEWHERE = frozenset(_FUNCTIONAL_ELSEWHERE.split())
_SET_LIKE_ELSEWHERE = """mag liebe liebt habe hat haben kaufte besuchte spricht spreche nutze nutzen verwende
verwenden kenne
aime adore ai avons parle acheté visité utilise utilisons gusta gustan tengo tiene tenemos habla compré visité uso
usamos
gosto gosta tenho tem temos fala comprei visitei usamos piace ho ha abbiamo parla comprato visitato usiamo mám má máme
mluví koupil navštívil používáme rád ráda люблю любит имею говорит купил посетил используем у"""
SET_LIKE_ELSEWHERE = frozenset(_SET_LIKE_ELSEWHERE.split())

_ALSO_ENGLISH = "a ai ha has her is me on son war was es vis parle commence adore uso ama mag tem hat no to"
OTHER_LANGUAGES = (
    frozenset(_OTHER_LANGUAGES.split()) | COPULAS_ELSEWHERE | FUNCTIONAL_ELSEWHERE | SET_LIKE_ELSEWHERE
) - frozenset(_ALSO_ENGLISH.split())

# Nouns that stand for one value of their owner.
_SLOT_NOUNS = """name nickname surname port version release branch owner author maintainer lead leader boss manager
ceo cto
deadline date birthday anniversary address city hometown home country password passcode pin username handle email phone
extension price cost fee rent salary budget limit quota timeout interval threshold default size height weight width
length
capacity colour color language timezone zone currency host hostname url domain endpoint region database editor
framework
licence license status priority estimate score grade gate platform room desk floor dentist doctor therapist landlord
teacher husband wife spouse partner fiancé fiancée employer job title role position major school university car
destination
venue location theme font shell os keyboard router provider carrier bank plan tier model type blood allergy backend
frontend registry bucket schedule frequency temperature speed capital mascot password nationality religion diet
duration
supplier vendor approver reviewer contact assignee sponsor mentor coach captain start end total area indentation style
name heißt name nom nombre nome jméno adresse dirección indirizzo adresa geburtstag anniversaire cumpleaños termin
passwort
port version preis prix precio preço prezzo cena farbe couleur lieblingsfarbe цвет имя адрес порт цена пароль версия"""
SLOT_NOUNS = frozenset(_SLOT_NOUNS.split())
_SLOT_MODIFIERS = """favourite favorite preferred default main primary current official top best biggest oldest
youngest
usual standard only next nearest minimum maximum max min native middle maiden"""
SLOT_MODIFIERS = frozenset(_SLOT_MODIFIERS.split())
_WERE = "was were war était era byl"
PAST_COPULAS = frozenset(_WERE.split())
_STOP = """a an the is are was were am be been being i me my we us our you your he him his she her it its they them
their
this that these those and or but if of in on at to for from by with as about into over under after before not no
never do
does did has have had will would can could should must may might shall so than then there here now actually please
very just
also more most some any all every each s t ll ve re don what which who how when where why up out off"""
STOP_WORDS = frozenset(_STOP.split())
