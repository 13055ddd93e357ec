"""Dutch."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:moeder|vader|mama|papa|ouders|broer|broers|zus|zussen|zoon|zoons|dochter|dochters|kind"
    r"|kinderen|vrouw|man|partner|vriendin|vriend|verloofde|oom|tante|neef|nicht|oma|opa"
    r"|kleinkind|schoonmoeder|schoonvader|baas|chef|manager|collega|buurman|buurvrouw|huisgenoot"
    r"|huisbaas|hond|kat|poes|paard|dokter|huisarts|tandarts|team)"
)
_POLITE = r"(?:alsjeblieft,? |aub |wil je |kun je )*"
_NAME = r"(?-i:[A-Z])[\w'-]+"

DUTCH = Language(
    code="nl",
    markers=words(
        "eet drink spreek rook ik ben heb mijn wij we ons onze is zijn was het een de en of niet op "
        "voor met van sinds in aan naar altijd nooit je jij jou me mij hoe wat waar wie waarom kan "
        "kun ook alleen vandaag bedankt als zou misschien antwoord noem woon werk heet dat dit geen "
        "deze hebben vertaal stel denk laat honger moe haat liever drink"
    ),
    openers=either(
        r"(?:(?:en|maar|dus|trouwens|hoi|hallo|ja|ok|oké|nou|ter info|ook|bedankt"
        r"|want)(?:[,:;!.–-]+ ?| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:en|maar|want|omdat|dus) )?", r" (?:[–—-]+|en|maar|want) "),
    reminds=either(
        _POLITE
        + (
            r"(?:onthoud|onthou|denk eraan|vergeet niet|noteer|let op|houd in gedachten"
            r"|ter herinnering)(?:,? dat | ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:nee|oh|sorry|wacht),? )*(?:eigenlijk|correctie|ik bedoelde|ik vergiste me"
            r"|om precies te zijn|in werkelijkheid)[,:]? ?"
        ),
        r"(?:nee|sorry)[,:] (?=(?:de|het|mijn|onze)\b)",
    ),
    negates=either(r",? (?:en )?niet (?!zeker|meer dan)[\w'-]+", r"\bin plaats van\b", r"\bniet meer\b"),
    states=either(
        r"\b(?:is|zijn|was|heeft|hebben|gebruikt|gebruiken|draait|heet|woont|begint|eindigt|kost"
        r"|verloopt|luistert|ligt|staat|gaat|gaan|moet|vertrekt)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        (
            r"^(?:en |maar )?(?:wat|wie|waar|wanneer|waarom|hoe|welke?) (?:is|zijn|kan|moet|laat|veel"
            r"|lang|doe|heet|ga)\b"
        ),
        r"^(?:kun|kan|wil|weet|heb|ben|zou|moet|mag) (?:je|jij|ik|u|het|de|mijn)\b",
        r"\b(?:ik vraag me af|zeg me of|vertel me (?:of|wat|hoe))\b",
    ),
    hedges=either(
        r"\b(?:misschien|waarschijnlijk|vermoedelijk|mogelijk|wellicht|blijkbaar|schijnbaar|ik denk"
        r"|denk ik|ik geloof|ik vermoed|ik gok|ik neem aan|niet zeker|geen idee|wie weet|zou kunnen"
        r"|lijkt|ik overweeg|we denken erover|ooit|ik hoop|hopelijk|ik twijfel|naar het schijnt"
        r"|volgens mij)\b"
    ),
    supposes=either(
        r"\b(?:stel je voor|stel dat|stel|doe alsof|laten we doen alsof|laten we zeggen|alsof"
        r"|bijvoorbeeld|in (?:het|de|dit|mijn) (?:boek|roman|film|spel|verhaal|droom|artikel|liedje)"
        r"|rollenspel|jij bent (?:een|mijn)|je bent (?:een|mijn)|volgens (?:het|de)|zou|zouden"
        r"|ik wou)\b"
    ),
    conditions=either(r"^(?:\w+ )?(?:als|indien|tenzij)\b", r", ?(?:als|indien) "),
    jokes=either(r"\b(?:grapje|grap|geintje|haha+|hihi|lol|ironie|ja hoor|tuurlijk niet)\b", r"[😂🤣😜😉]"),
    once=either(
        r"\b(?:alleen|enkel|slechts) (?:voor )?(?:vandaag|nu|deze keer|dit|één keer|deze)\b",
        (
            r"\b(?:deze keer|voor nu|voorlopig|vandaag|op dit moment|momenteel|vanavond|vanmorgen"
            r"|gisteren|net nu|voor deze (?:taak|vraag|keer|tekst)|voor dit (?:antwoord|bericht)|alweer)\b"
        ),
    ),
    passing=either(
        (
            r"ik (?:ben|was|voel me)(?: zo| heel| erg| een beetje| best| nog| al| echt)* (?:moe|blij|boos"
            r"|verdrietig|ziek|klaar|hier|er|thuis|onderweg|te laat|druk|benieuwd|zeker|gestrest|bang"
            r"|verkouden|verward|kapot|dood|aan het|in een|in de|bezig|op weg|uitgeput|verveeld)\b"
        ),
        (
            r"ik heb (?:een |geen |nog |zo |erg |veel |even )*(?:honger|dorst|vraag|idee|probleem"
            r"|hoofdpijn|tijd|zin|haast|koorts|fout|afspraak|vergadering|pijn|nodig|geluk|last|gelijk"
            r"|gezien|gevraagd|vergeten)\b"
        ),
        r"ik (?:wil|moet|kan|zal|ga|weet|zie|begrijp|zoek|probeer|hoop|voel|vind|snap|kom (?!uit)|sterf|wou|vroeg)\b",
        (
            r"(?:mijn|onze|ons|de|het) (?:[\w-]+ ){1,2}(?:is|zijn|was)(?: zo| heel| erg| weer| al"
            r"| nog)* (?:kapot|stuk|leeg|traag|hier|leuk|goed|slecht|mooi|te laat|moe|ziek|afgelast|klaar"
            r"|offline|plat|fantastisch|vervelend|dood|vol|weg)\b"
        ),
        r"mijn \w+ (?:doet (?:pijn|het niet)|werkt niet)\b",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:vertaal\w*|verbeter\w*|corrigeer\w*|herschrijf\w*|herformuleer\w*|vat (?:dit"
            rf"|de|het)|parafraseer\w*|maak (?:deze|de) zin af|hoe zeg je)\b"
        ),
        (
            rf"^{_POLITE}(?:schrijf\w*|vertel\w*|verzin\w*)\b.{{0,40}}\b(?:verhaal|gedicht|liedje|mop|grap"
            rf"|sprookje|dialoog|roman|scène)\b"
        ),
        (
            r"\b(?:stel je voor|doe alsof|laten we doen alsof|rollenspel|voorbeeld ?:"
            r"|hier is een (?:tekst|voorbeeld))"
        ),
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:schrijf\w*|stel .{{0,20}} op|maak|stuur)\b.{{0,60}}\b(?:e-?mail|mail|brief"
            rf"|bericht|tekst|zin|toespraak|dat ik)\b"
        ),
        r"^zeg (?:hem|haar|tegen)\b",
    ),
    refers=either(
        r"(?:en |maar )?(?:hij|zij|ze|het|dat|dit|die|deze|daar|er|hun|haar|beide)\b(?! (?:zijn"
        r"|is) (?:mijn|ons))"
    ),
    affirms=either(r"(?:ja|klopt|precies|inderdaad|nee)\b"),
    trails=either(r"[,;–—-]+ ?(?:alsjeblieft|trouwens|bedankt|onthoud dat)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            rf"{_POLITE}noem (?:me|mij) (?:maar |gewoon |alsjeblieft )*(?P<thing>{_NAME})",
        ),
        preference(
            "address",
            8_900,
            "address.form",
            rf"{_POLITE}(?:spreek|tutoyeer) (?:me|mij)\b",
            r"zeg maar (?P<thing>je|jij|u)\b",
        ),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            (
                rf"{_POLITE}(?P<thing>(?:antwoord\w*|schrijf\w*|gebruik\w*|geef\w*|toon|laat|praat|spreek|leg"
                rf"|zet|voeg|controleer\w*|draai|doe|noem|citeer|begin|eindig|houd|hou|vraag|test|maak"
                rf"|deploy)\b.{{0,60}}\b(?:altijd|nooit|voortaan|elke keer|vanaf nu|in het vervolg|standaard"
                rf"|elke?|alle)\b.{{0,60}})"
            ),
            r"(?:altijd|nooit) (?!meer|gezien|geweest|al)(?P<thing>\w+.{3,70})",
            (
                r"(?:voortaan|vanaf nu|vanaf vandaag|in het vervolg|in de toekomst),? (?!ik\b|ga ik"
                r"|ben ik)(?P<thing>.{3,90})"
            ),
            r"(?:we|wij|in ons team) (?P<thing>\w+ (?:\w+ )?(?:altijd|nooit)\b.{2,60})",
            r"(?P<thing>(?:elke?|alle|iedere?) [\w ]{2,30} (?:moet|moeten|heeft .* nodig)\b.{3,60})",
            (
                r"(?:als|wanneer|telkens als) (?:ik|je) .{3,60}, (?:alsjeblieft |altijd )*(?:antwoord|geef"
                r"|toon|gebruik|schrijf|doe)\b.{2,60}"
            ),
            r"ik wil dat je (?P<thing>.{0,16}\b(?:altijd|nooit)\b.{2,60})",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:antwoord|praat|spreek|schrijf)(?: me| mij| met me)?(?: alleen)? (?P<thing>(?:in"
                rf"|met) (?!één woord|één zin).{{2,50}})"
            ),
            (
                rf"{_POLITE}(?:wees|houd het|hou het) (?:altijd )?(?P<thing>(?:kort|bondig|direct|formeel"
                rf"|informeel|beleefd|beknopt).{{0,40}})"
            ),
            rf"{_POLITE}(?:geen|gebruik geen|zonder|vermijd) (?P<thing>(?:emoji\S*|smileys|jargon).{{0,40}})",
            rf"{_POLITE}gebruik (?P<thing>.{{0,30}}\b(?:metri\w+|celsius|24-uurs\w*|euro\S*|kilometers)\b.{{0,40}})",
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"ik (?:geef de voorkeur aan|prefereer|verkies|heb een voorkeur voor) (?!de (?:eerste|tweede)"
                r"|deze|die\b)(?P<thing>.{2,70})"
            ),
            (
                r"ik (?:heb|drink|eet|gebruik|lees|werk|reis|krijg|zit"
                r"|wil) .{0,20}\b(?:liever|het liefst) (?!niet)(?P<thing>.{2,60})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"ik (?:haat|verafschuw|ben dol op|ben gek op|ben fan van|hou (?:niet )?van"
                r"|houd (?:niet )?van|kan niet tegen) (?!dat\b|dit\b|je\b|jou|deze|die\b"
                r"|het\b)(?P<thing>.{2,50})"
            ),
            (
                r"ik (?:vind|lust) (?!dat\b|dit\b|het\b|deze|die\b)(?P<thing>.{2,40}) (?:niet |erg "
                r"|heel )*(?:lekker|leuk|vreselijk|fijn|geen|niet)\b"
            ),
            r"ik lust geen (?P<thing>.{2,40})",
            r"ik (?:eet|drink|lees|speel|reis|kook) (?:heel )?graag (?P<thing>.{2,40})",
        ),
        preference(
            "likes", LIKELY, "favourite", r"mijn (?P<thing>(?:lievelings|favoriete ?)[\w -]{2,30}?) (?:is|zijn)\b"
        ),
        fact(
            "first_person",
            SURE,
            (
                r"ik (?:woon|leef (?:in|met)|heet|kom (?:oorspronkelijk )?uit|ben (?:geboren|opgegroeid)"
                r"|werk (?:als|bij|in|voor|aan de|vanuit|thuis|op|parttime|fulltime|sinds|'s nachts|met)"
                r"|ben \d{1,3}(?: jaar)?\b|spreek (?-i:[A-Z]))"
            ),
            (
                r"ik ben(?: al [\w ]{2,20}| ernstig| ook| sinds \w+| zwaar)* (?:allergisch|vegetariër"
                r"|vegetarisch|veganist\w*|vegan|lactose-?intolerant|diabeet|diabetespatiënt|zwanger|getrouwd"
                r"|gescheiden|weduwe|weduwnaar|verloofd|gepensioneerd|met pensioen|linkshandig|kleurenblind"
                r"|slechthorend|zzp'er)\b"
            ),
            (
                r"ik ben (?:een )?(?:[\w-]+ )?(?:arts|dokter|verpleegkundige|verpleegster|leraar|lerares"
                r"|docente?|ingenieur|advocaat|advocate|student|studente|ontwikkelaar|programmeur|bakker"
                r"|journaliste?|architect|boekhouder|kok|ontwerper|vertaler|vertaalster|apotheker|tandarts"
                r"|dierenarts|loodgieter|elektricien|muzikant|schrijver|schrijfster|onderzoeker|fotograaf"
                r"|psycholoog|consultant)\b"
            ),
            (
                r"ik heb (?:een |ook |last van )?(?:\w+ )?(?:\w*allergie|diabetes|astma|\w*intolerantie"
                r"|coeliakie|epilepsie|hoge bloeddruk|migraine|suikerziekte)\b"
            ),
            r"ik (?:eet|drink|rook|verdraag) (?:geen|niet) ?(?!meer zo|nu)",
            (
                r"mijn (?:verjaardag|naam|voornaam|achternaam|adres|telefoonnummer|e-mail\w*|tijdzone"
                r"|bloedgroep|beroep|moedertaal|schoenmaat|geboortedatum|trouwdag) is\b"
            ),
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"ik heb (?:een|twee|drie|vier|vijf|\d+) (?:\w+ )?(?:kind|kinderen|zoon|zonen|zoons|dochters?"
                r"|broers?|zus|zussen|hond|honden|kat|katten|paard|paarden|kleinkinderen|tweeling)\b"
            ),
            (
                rf"(?:mijn|onze) (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:woont|wonen|werkt|werken|heet|heten"
                rf"|studeert|komt uit|spreekt|heeft (?:een|twee|drie|\d)|is (?:\d|allergisch|vegetariër"
                rf"|veganist\w*|arts|leraar|lerares|verpleegkundige|advocaat|ingenieur|zwanger|met pensioen"
                rf"|geboren|een (?!beetje|ramp)|(?-i:[A-Z])\w))\b"
            ),
            (
                r"ik (?:ben (?:\w+ ){0,5}verhuisd|ben gestopt met|studeer \w+|heb .{2,30} gestudeerd"
                r"|leer sinds|speel al|rij een|slik \d|ga (?:elke|iedere)|ben in \d{4})\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:we|wij) (?:hebben|zijn) .{0,60}?(?:besloten|gekozen|afgesproken|gemigreerd|overgestapt"
                r"|vervangen|geüpgraded|gestopt|bijgewerkt)\b"
            ),
            r"(?:we|wij) (?:gebruiken|werken met|hosten|draaien|deployen)\b",
            (
                r"(?:onze|ons) (?:[\w'-]+ ){1,4}?(?:is|zijn|gebruikt|gebruiken|draait|draaien|heet|heeft"
                r"|hebben|staat|luistert)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"mijn (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:is|heeft|zegt|zei|vertelde|haat|houdt|gaat|speelt"
                rf"|eet|rijdt|drinkt|zijn|was|kan)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:mijn|onze|ons) (?:[\w'/.-]+ ){1,4}?(?:duurt|duren|begint|beginnen|eindigt|opent|open gaat"
                r"|sluit|kost|komt bijeen|ligt|betaalt|bevat|hoort|werkt)\b"
            ),
            (
                r"(?!mijn (?:[\w'-]+ ){1,3}?(?:is|zijn) (?:(?:heel|bijna|al|nog|erg|zo"
                r"|te) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)mijn (?:[\w'-]+ ){1,5}?(?:is|zijn|heeft|hebben|heet"
                r"|verloopt|begint|eindigt|kost|vertrekt|ligt|staat)\b"
            ),
            (
                r"ik (?!heb (?:het\b|.*\b(?:gekocht|gezien|gevonden|gemaakt|besteld|gegeten|vergeten|gelezen"
                r"|gehoord|gekregen|geprobeerd)\b)|werk (?:nu|even|vandaag))(?:gebruik|speel|verzamel|beoefen"
                r"|rij|leer|studeer|loop|zwem|sta|draag|heb|werk|weeg|fiets|train) .{3,}"
            ),
            r"ik ben .{2,40}\b(?:sinds|uit)\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:de|het) (?:[\w'/.-]+ ){1,6}?(?:is|zijn|heet|begint|eindigt|verloopt|luistert|draait|kost"
                r"|staat|ligt)\b(?=.*(?:\d|heet))(?!.*\bhoofdstad\b)"
            ),
            r"is (?:de|het) (?:[\w/.-]+ ){1,4}\d",
            (
                rf"(?!(?:De|Het|Een|Ik|Je|Jij|Wij|We|Dit|Dat|Die|Deze|Er|Wie|Wat|Als|Mijn|Niet|Hij|Zij"
                rf"|Ze)\b){_NAME} (?:woont|werkt|leidt|is (?:mijn|onze)|vervangt|verhuisde)\b"
            ),
        ),
    ),
)
