"""German."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:mutter|vater|mama|papa|eltern|bruder|schwester|brüder|schwestern|sohn|tochter|söhne"
    r"|töchter|kind|kinder|frau|mann|partner|partnerin|freundin|freund|verlobte[rn]?|onkel|tante"
    r"|cousin|cousine|neffe|nichte|oma|opa|großmutter|großvater|enkel|enkelin|schwager|schwägerin"
    r"|chef|chefin|kollege|kollegin|nachbar|nachbarin|mitbewohner|mitbewohnerin|vermieter"
    r"|vermieterin|hund|katze|kater|pferd|arzt|ärztin|zahnarzt|team)"
)
_MY = r"(?:mein|meine|meiner|meinem|meinen|unser|unsere|unserer)"
_POLITE = r"(?:bitte |kannst du (?:bitte )?|könntest du (?:bitte )?)*"
_NAME = r"(?-i:[A-ZÄÖÜ])[\wäöüß-]+"

GERMAN = Language(
    code="de",
    markers=words(
        "wohne lebe arbeite esse trinke heiße wohnt in keine kein emojis ich bin habe mein meine meinen "
        "meiner meinem wir unser unsere ist sind war der die das den dem ein eine einen und oder "
        "nicht auf für mit von seit im am zu zum bitte immer nie niemals du mir mich dich wie was wo "
        "wer warum kann kannst es auch nur heute danke wenn würde vielleicht antworte nenn über "
        "übersetze schreib hast haben"
    ),
    openers=either(
        r"(?:(?:und|aber|also|übrigens|ach|hallo|hi|ja|naja|ok|okay|zur info|außerdem"
        r"|danke)(?:[,:;!.–-]+ ?| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:und|aber|weil|da|denn|deshalb|also) )?", r" (?:[–—-]+|und|aber) "),
    reminds=either(
        r"(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? daran|denk dran|vergiss nicht|notier(?:e)?(?: dir)?"
        r"|behalte im kopf|zur erinnerung|nur damit du es weißt)(?: bitte)?(?:,? dass |: ?|, )"
    ),
    corrects=either(
        (
            r"(?:(?:nein|ach|moment|sorry|entschuldigung),? )*(?:eigentlich|korrektur|tatsächlich"
            r"|ich meinte|genauer gesagt|richtig ist)[,:]? ?"
        ),
        r"(?:nein|sorry)[,:] (?=(?:der|die|das|mein|meine|es|wir|unser)\b)",
    ),
    negates=either(r",? (?:und )?nicht (?!sicher|mehr als)[\w'-]+", r"\bstatt\b", r"\bnicht mehr\b"),
    states=either(
        r"\b(?:ist|sind|war|hat|haben|läuft|laufen|heißt|heißen|wohnt|liegt|steht|beginnt|beginnen"
        r"|endet|kostet|gehört|gehen|geht|kommt|bleibt|nutzt|nutzen|verwenden|verwendet|lautet"
        r"|läuft ab|wurde)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        (
            r"^(?:und |aber )?(?:was|wer|wo|wann|warum|wieso|wie|welche[rsn]?|wohin|woher) (?:ist|sind"
            r"|war|kann|soll|muss|macht|heißt|geht|viel|lange|spät|kannst|hast|bist|würdest)\b"
        ),
        (
            r"^(?:kannst|könntest|würdest|weißt|hast|bist|soll|sollte|darf|ist|sind|gibt|magst"
            r"|willst) (?:du|ich|es|das|der|die|wir|mein|meine|dir)\b"
        ),
        r"\b(?:sag mir,? ob|ich frage mich)\b",
    ),
    hedges=either(
        r"\b(?:vielleicht|wahrscheinlich|vermutlich|eventuell|möglicherweise|wohl|angeblich"
        r"|anscheinend|scheinbar|offenbar|ich glaube|glaub(?:e)? ich|ich denke|denke ich|ich vermute"
        r"|ich schätze|ich nehme an|nicht sicher|keine ahnung|könnte|könnten|dürfte|müsste|mal sehen"
        r"|wer weiß|ich überlege|überlegen|soweit ich weiß|hoffentlich|ich hoffe|irgendwann"
        r"|hab gehört|glaub)\b"
    ),
    supposes=either(
        (
            r"\b(?:stell dir vor|stellt euch vor|angenommen|nehmen wir an|tu so|tun wir so|würde|würdest"
            r"|würden|wäre|wären|hätte|hätten|als ob|zum beispiel|z\.b\.|beispiel|in dem (?:roman|buch"
            r"|film|spiel)|im (?:roman|buch|film|spiel|traum|artikel)|rollenspiel|du bist (?:ein|eine"
            r"|mein|meine)|laut|wünschte)\b"
        ),
        r"\bich wohnte\b",
    ),
    conditions=either(r"^(?:\w+ )?(?:wenn|falls|sofern)\b", r", ?(?:wenn|falls|ob)\b"),
    jokes=either(
        (
            r"\b(?:scherz|spaß|witz|haha+|hihi|lol|war nur ein|nicht ernst|ironie|na toll|na super"
            r"|ja klar)\b"
        ),
        r"[😂🤣😜😉]",
    ),
    once=either(
        r"\b(?:nur|bloß) (?:für )?(?:heute|jetzt|diesmal|dieses mal|einmal|dies(?:e|en|es|er)|hier)\b",
        (
            r"\b(?:diesmal|dieses mal|für diese[nrs]? (?:aufgabe|antwort|frage|text|mal)|ausnahmsweise"
            r"|vorerst|heute|gerade|im moment|momentan|gleich|morgen|gestern|schon wieder|wieder mal"
            r"|in diesem fall)\b"
        ),
    ),
    passing=either(
        (
            r"ich (?:bin|war)(?: gerade| so| sehr| total| echt| ziemlich| auch| noch| etwas"
            r"| ein bisschen)* (?:müde|hungrig|durstig|krank|froh|glücklich|traurig|sauer|genervt"
            r"|gespannt|verwirrt|fertig|bereit|da|hier|zurück|unterwegs|satt|aufgeregt|nervös|beeindruckt"
            r"|begeistert|sicher|neugierig|dankbar|spät|beschäftigt|gestresst|erkältet|in|im|auf|beim|am"
            r"|zu|wütend|ratlos|dabei|tot)\b"
        ),
        (
            r"ich (?:habe|hab) (?:eine |einen |ein |keine |kein |noch |gerade |so |großen |viel "
            r"|grad )*(?:hunger|durst|frage|idee|problem|kopfschmerzen|zeit|lust|angst|fehler|termin"
            r"|moment|ahnung|fieber|schmerzen|bock|stress|glück|pech)\b"
        ),
        (
            r"ich (?:will|möchte|muss|brauche|kann|soll|werde|weiß|verstehe|sehe|suche|versuche|hoffe"
            r"|fühle|finde|meine|wollte|gehe|komme (?!aus)|rufe|frage|danke|sterbe|freue"
            r"|habe (?:vergessen|gefragt|gesehen|gehört))\b"
        ),
        (
            r"(?:mein|meine|unser|unsere|der|die|das) (?:[\w-]+ ){1,2}(?:ist|sind|war)(?: so| sehr"
            r"| gerade| schon| wieder| total| immer noch| nicht)* (?:kaputt|tot|leer|langsam|laut|müde"
            r"|krank|da|weg|toll|super|schlecht|gut|schön|nett|lustig|langweilig|nervig|fertig|voll|down"
            r"|offline|abgestürzt|ausgefallen|abgesagt|spät|sauer|rot|grün)\b"
        ),
        (
            r"(?:mein|meine) (?:[\w-]+ )?(?:kopf|bauch|rücken|code|handy|internet"
            r"|rechner)(?: \w+)? (?:tut|schmerzt|funktioniert|geht nicht|spinnt|brummt)\b"
        ),
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:übersetz\w*|korrigier\w*|fass\w* (?:das|den|die|diesen|folgenden)|formulier\w*"
            rf"|umformulier\w*|verbesser\w*|lies|kürz\w*|schreib\w* (?:das|den|diesen) (?:um|neu))\b"
        ),
        (
            rf"^{_POLITE}(?:schreib\w*|erzähl\w*|erfind\w*|dichte)\b.{{0,40}}\b(?:geschichte|gedicht|witz"
            rf"|lied|märchen|dialog|roman|szene|drehbuch)\b"
        ),
        r"\b(?:stell dir vor|tu so als|angenommen|rollenspiel|beispiel ?:|beispieltext)",
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:schreib\w*|verfass\w*|erstell\w*|entwirf|formulier\w*)\b.{{0,60}}\b(?:e-?mail"
            rf"|mail|brief|nachricht|text|satz|beitrag|aufsatz|absage|dass ich|bewerbung|rede)\b"
        ),
        r"^(?:sag|schreib) (?:ihm|ihr|ihnen|meinem|meiner|dem|der)\b",
    ),
    refers=either(
        r"(?:und |aber )?(?:es|er|sie|das|dies|diese[rs]?|dort|da|dieser|beide|sein|seine|ihr"
        r"|ihre)\b(?! (?:ist|sind) (?:mein|unser))"
    ),
    affirms=either(r"(?:ja|genau|stimmt|richtig|nein|doch)\b"),
    trails=either(r"[,;–—-]+ ?(?:bitte )?(?:merk dir das|denk bitte daran|denk dran|danke|übrigens|bitte)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            rf"{_POLITE}(?:nenn|nennt|nenne)(?:en sie)? mich (?:bitte |einfach |nur )*(?P<thing>{_NAME})",
        ),
        preference(
            "address",
            8_900,
            "address.form",
            rf"{_POLITE}(?:duz\w*|siez\w*) mich\b",
            rf"{_POLITE}(?:sprich|rede|sprechen sie) mich (?:bitte )?(?:immer )?mit\b",
        ),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            (
                rf"{_POLITE}(?P<thing>(?:antwort\w*|schreib\w*|verwend\w*|nutz\w*|benutz\w*|gib|zeig\w*|sprich"
                rf"|rede|mach\w*|führ\w*|prüf\w*|teste?|nenn\w*|halt\w*|frag\w*|füg\w*|erklär\w*|beginn\w*"
                rf"|runde)\b.{{0,60}}\b(?:immer|stets|nie|niemals|grundsätzlich|nur noch|ab jetzt|ab sofort"
                rf"|künftig|in zukunft|standardmäßig|jedes mal|bei jede[rmn])\b.{{0,60}})"
            ),
            (
                rf"(?:{_POLITE})?(?:immer|nie|niemals|stets|grundsätzlich)(?!,| (?:wieder|noch|mehr|gesehen"
                rf"|gehört|zu|so|war|im))(?P<thing> .{{3,90}})"
            ),
            (
                r"(?:ab jetzt|ab sofort|von nun an|ab heute|künftig|in zukunft|zukünftig"
                r"|von jetzt an),? (?!werde ich|bin ich|habe ich|arbeite ich|wohne ich)(?P<thing>.{3,100})"
            ),
            r"(?:wir|bei uns|in unserem team|im team) (?P<thing>.{0,20}\b(?:immer|nie|niemals"
            r"|grundsätzlich)\b.{3,70})",
            r"(?P<thing>(?:jede[rs]?|alle) \w+ (?:muss|müssen|soll|sollen|braucht|brauchen)\b.{3,70})",
            (
                r"(?:wenn|immer wenn|sobald) (?:ich|du) .{3,70}, (?:bitte |dann )*(?:antworte|gib|zeig|nutze"
                r"|verwende|schreib|frag|nenn|benutze)\b.{2,60}"
            ),
            r"ich (?:möchte|will), dass du (?P<thing>(?:immer|nie|nur|mich|mir)\b.{3,70})",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:antwort\w*|sprich|rede|schreib\w*)(?: mir| mit mir| zu mir)?(?: bitte"
                rf"| nur)* (?P<thing>(?:auf|in|mit) (?!einem (?:wort|satz)).{{2,50}})"
            ),
            rf"{_POLITE}(?:halt\w*) (?:dich|deine antworten|die antworten) (?P<thing>.{{2,40}})",
            (
                rf"{_POLITE}(?:keine|verwende keine|benutze keine|nutze keine|ohne"
                rf"|verzichte auf) (?P<thing>(?:emojis?|smileys?|floskeln|fachbegriffe|anglizismen).{{0,40}})"
            ),
            (
                rf"{_POLITE}(?:verwende|nutze|benutze|gib|zeig\w*)(?: mir)? .{{0,30}}\b(?P<thing>metrisch\w*"
                rf"|celsius|24-stunden\S*|euro|kilometer\w*)\b.{{0,50}}"
            ),
            rf"{_POLITE}fass\w* dich (?P<thing>kurz)",
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:ich|wir) (?:bevorzuge|bevorzugen|ziehe|ziehen)(?: \w+)? (?!die (?:erste|zweite|dritte)"
                r"|das (?:erste|zweite))(?P<thing>.{2,70})"
            ),
            (
                r"ich (?:\w+ )?(?:mag|trinke|esse|nehme|nutze|arbeite|hätte|habe|lese|reise"
                r"|fahre) .{0,20}\blieber\b (?P<thing>.{2,60})"
            ),
            r"mir (?:ist|sind) (?P<thing>.{2,50}) lieber\b",
            r"(?:mir (?:ist|wäre es) lieber|ich hätte gern|ich mag es),? (?:wenn|dass) du (?P<thing>.{3,60})",
            r"am liebsten (?:\w+ ich )(?P<thing>.{2,50})",
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"ich (?:liebe|hasse|mag|verabscheue|genieße)(?: \w+)?? (?!es\b|das\b|dich\b|deine|diese"
                r"|dass\b|sie\b|ihn\b)(?P<thing>.{2,50})"
            ),
            r"ich (?:kann|konnte) (?P<thing>.{2,40}) (?:nicht (?:ausstehen|leiden)|überhaupt nicht)\b",
            (
                r"ich (?:esse|trinke|höre|lese|spiele|reise|koche|wandere) (?:sehr )?(?:gerne?"
                r"|ungern) (?P<thing>.{2,40})"
            ),
            r"ich (?:bin|war) (?:ein |kein )?(?:\w+ )?fan von (?P<thing>.{2,40})",
        ),
        preference("likes", LIKELY, "favourite", r"mein(?:e|er)? (?P<thing>lieblings[\w-]+) (?:ist|sind|heißt)\b"),
        fact(
            "first_person",
            SURE,
            (
                r"ich (?:heiße|wohne|lebe|komme (?:ursprünglich )?aus|stamme aus|wurde \d{4}|wurde (?:in|am)"
                r"|bin (?:in [\wäöüß -]{2,30} )?(?:geboren|aufgewachsen)|arbeite (?:als|bei|in|im|an|für|von"
                r"|seit|am|mittwochs|montags|freitags|teilzeit|vollzeit|nachts)|bin \d{1,3}(?: jahre)?"
                r"|spreche (?-i:[A-Z]))\b"
            ),
            (
                r"ich bin(?: seit [\w .]{2,20}| stark| schwer| leicht| auch| leider| strikte[r]?"
                r"| gegen [\wäöüß]+)* (?:allergisch|vegetarier(?:in)?|veganer(?:in)?|vegan|vegetarisch"
                r"|laktoseintolerant|glutenunverträglich|diabetiker(?:in)?|schwanger|verheiratet|geschieden"
                r"|verwitwet|verlobt|rentner(?:in)?|linkshänder(?:in)?|farbenblind|schwerhörig|selbständig"
                r"|selbstständig|freiberuflich\w*|alleinerziehend)\b"
            ),
            (
                r"ich bin(?: gelernte[r]?| seit [\w .]{2,20}| von beruf)? (?-i:[A-ZÄÖÜ])[\wäöüß-]+(?:er|erin"
                r"|ist|istin|arzt|ärztin|pfleger|pflegerin|ent|entin|or|orin|wirt|wirtin|mann|frau|loge|login"
                r"|kraft|schwester)\b(?! (?:fan|freund|meinung))"
            ),
            (
                r"ich habe (?:\w+ ){0,2}(?:allergie|\w+allergie|diabetes|asthma|zöliakie|migräne"
                r"|bluthochdruck|adhs|epilepsie|rheuma|laktoseintoleranz|unverträglichkeit)\b"
            ),
            r"ich (?:vertrage|esse|trinke) (?:\w+ ){0,2}(?:kein|keine|keinen|nicht)\b(?!.*\b(?:mehr so|heute"
            r"|jetzt)\b)",
            (
                r"(?:mein|meine) (?:geburtstag|name|vorname|nachname|adresse|telefonnummer|e-mail|blutgruppe"
                r"|schuhgröße|zeitzone|muttersprache|beruf|heimatstadt|hochzeitstag|alter) (?:ist|lautet)\b"
            ),
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"ich habe (?:eine?n? |zwei |drei |vier |fünf |\d+ |keine )(?:\w+ )?(?:kind|kinder|sohn|söhne"
                r"|tochter|töchter|bruder|brüder|schwester|schwestern|hund|hunde|katze|katzen|kater|pferd"
                r"|geschwister|enkel|zwillinge)\b"
            ),
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?: {_NAME})? (?:wohnt|wohnen|lebt|leben|arbeitet|arbeiten|heißt"
                rf"|heißen|studiert|kommt aus|spricht|wurde|hat (?:eine?n? |zwei |drei |am |im )|ist (?:\d"
                rf"|allergisch|vegetarier\w*|veganer\w*|schwanger|rentner\w*|im ruhestand"
                rf"|(?-i:[A-ZÄÖÜ])\w{{3,}}|von beruf|ein |eine ))\b"
            ),
            (
                r"ich (?:studiere|habe \w+ studiert|lerne seit|bin (?:vor|im|nach"
                r"|letzte[sn]) [\wäöüß .]{2,30} (?:gezogen|umgezogen)|fahre einen?|spiele seit|rauche (?:nicht"
                r"|seit)|habe (?:\d{4}|vor) .{2,40} aufgehört|nehme (?:täglich|jeden|\d))\b"
            ),
            r"ich bin .{0,30}\bnach (?-i:[A-ZÄÖÜ])[\wäöüß-]+ (?:gezogen|umgezogen)\b",
        ),
        fact(
            "group",
            8_900,
            (
                r"wir haben (?:uns )?.{2,80}\b(?:entschieden|beschlossen|geeinigt|vereinbart|umgestellt"
                r"|migriert|gewechselt|eingeführt|abgeschafft|aktualisiert)\b"
            ),
            r"wir (?:nutzen|verwenden|benutzen|setzen|betreiben|hosten|deployen|arbeiten mit|sind auf) ",
            (
                r"unser(?:e|er)? (?:[\w-]+ ){1,3}(?:ist|sind|läuft|laufen|heißt|nutzt|verwendet|hat|liegt"
                r"|hört|beginnt)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?: {_NAME})? (?:hat|ist|sagt|sagte|meinte|mag|hasst|liebt|fährt"
                rf"|spielt|isst|trinkt|geht|bekommt|macht|kommt|war|hört|kann|erzählte)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:mein|unser)e? (?:[\w'/.-]+ ){1,4}?(?:dauern?t?|beginnt|beginnen|endet|enden|öffnet|schließt"
                r"|kostet|trifft sich|liegt|zahlt|gehört|läuft|umfasst|bekommt|braucht)\b"
            ),
            (
                r"(?!mein(?:e)? (?:[\w'-]+ ){1,3}?(?:ist|sind|war) (?:(?:sehr|fast|schon|noch|ganz|zu|so"
                r"|immer) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:mein|meine|mein) (?:[\wäöüß-]+ ){1,4}?(?:ist|sind"
                r"|hat|heißt|läuft|endet|beginnt|kostet|liegt|steht|geht|fährt|fliegt|findet)\b"
            ),
            (
                r"ich (?!habe .*\b(?:gekauft|gesehen|gefunden|gemacht|bestellt|gegessen|getrunken|vergessen"
                r"|gelesen|gehört|bekommen|probiert|versucht)\b)(?:habe|besitze|nutze|benutze|verwende|spiele"
                r"|sammle|trainiere|pendle|gehe|stehe|trage|arbeite|fahre|lerne|studiere) .{3,}"
            ),
            r"ich bin .{2,40}\b(?:seit|aus)\b",
            (
                r"(?:letzte[nrsm]?|seit|im|vor|ab) .{2,24} (?:bin|wohne|lebe|arbeite|lerne|habe"
                r"|studiere) ich .{3,}"
            ),
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:der|die|das) (?:[\wäöüß/.-]+ ){1,5}?(?:ist|sind|heißt|läuft|liegt|lautet|beginnt|endet"
                r"|hört|kostet|findet|wurde)\b(?=.*(?:\d|heißt|läuft auf))"
            ),
            (
                rf"(?!(?:Der|Die|Das|Es|Er|Sie|Wir|Ich|Du|Was|Wer|Wie|Wo|Wenn|Heute|Dies\w*|Man|Hier|Dort|Ein"
                rf"|Eine)\b){_NAME} (?:wohnt|arbeitet|leitet|berichtet|ist (?:mein|meine|unser|unsere|für)"
                rf"|übernimmt|zieht|zog|hat)\b"
            ),
        ),
    ),
    capitals_name=False,
)
