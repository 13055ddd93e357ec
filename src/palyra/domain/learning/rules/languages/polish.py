"""Polish."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:mama|tata|matka|ojciec|rodzice|brat|bracia|siostra|siostry|syn|synowie|córka|córki"
    r"|dziecko|dzieci|żona|mąż|partner|partnerka|dziewczyna|chłopak|narzeczon[ya]|wujek|ciocia"
    r"|kuzyn|kuzynka|babcia|dziadek|wnuk|wnuczka|teściowa|teść|szef|szefowa|kolega|koleżanka"
    r"|sąsiad|sąsiadka|przyjaciel|przyjaciółka|pies|kot|koń|lekarz|dentysta|zespół)"
)
_MY = r"(?:mój|moja|moje|moi|nasz|nasza|nasze|nasi)"
_POLITE = r"(?:proszę,? |czy możesz |możesz )*"
_NAME = r"(?-i:[A-ZĄĆĘŁŃÓŚŹŻ])[\w-]+"

POLISH = Language(
    code="pl",
    markers=words(
        "jem piję palę używamy boli głowa ja jestem mam mój moja moje mnie mi my nasz nasza jest są "
        "był była to nie się i w na z do od po dla że jak co kto gdzie kiedy czy zawsze nigdy tak "
        "tylko dzisiaj dziękuję może gdyby gdybym mieszkam pracuję wolę nienawidzę lubię lat roku "
        "imię ten ta te które która godzina bardzo odpowiadaj przetłumacz chyba proszę właściwie "
        "sobie"
    ),
    openers=either(
        r"(?:(?:i|a|ale|więc|no|cześć|hej|tak|ok|aha|przy okazji|poza tym|dzięki|bo)(?:[,:;!.–-]+ ?"
        r"| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:i|a|ale|bo|ponieważ|więc) )?", r" (?:[–—-]+|i|ale|bo) "),
    reminds=either(
        _POLITE
        + (
            r"(?:pamiętaj|zapamiętaj|nie zapomnij|zanotuj|zapisz sobie|miej na uwadze"
            r"|weź pod uwagę)(?:,? że | ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:nie|ach|sorry|przepraszam),? )*(?:właściwie|sprostowanie|korekta|poprawka"
            r"|tak naprawdę|w rzeczywistości|miałe?am na myśli|miałem na myśli|chodziło mi o)[,:]? ?"
        ),
        r"(?:nie|przepraszam)[,:] (?=(?:mój|moja|nasz|to|port)\b)",
    ),
    negates=either(r",? (?:a )?nie (?!wiem|jestem|mam)[\w-]+", r"\bzamiast\b", r"\bjuż nie\b"),
    states=either(
        r"\b(?:jest|są|był|była|było|ma|mają|to|używa|używamy|działa|nazywa się|mieszka|zaczyna"
        r"|kończy|kosztuje|wygasa|nasłuchuje|znajduje|idzie|idą|zmienił\w*|musi|odlatuje|odjeżdża)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        r"^(?:a |i )?(?:co|kto|gdzie|kiedy|dlaczego|jak|jaki|jaka|który|która|ile|czy) ",
        r"\b(?:zastanawiam się|powiedz mi,? czy)\b",
    ),
    hedges=either(
        r"\b(?:może|chyba|prawdopodobnie|pewnie|być może|podobno|ponoć|raczej|myślę|sądzę"
        r"|wydaje mi się|zdaje się|przypuszczam|nie jestem pew\w+|nie wiem|kto wie|mógłby\w*"
        r"|mogłab\w*|zastanawiamy się|kiedyś może|mam nadzieję|wątpię|rozważam)\b"
    ),
    supposes=either(
        r"\b(?:wyobraź sobie|załóżmy|przypuśćmy|udawaj|udawajmy|powiedzmy, że|jakby|jakbym"
        r"|na przykład|np\.|w (?:książce|powieści|filmie|grze|historii|śnie|artykule|piosence)"
        r"|jesteś (?:moim|moją|teraz)|według|chciałbym|chciałabym|gdyby\w*|\w+łbym|\w+łabym)\b"
    ),
    conditions=either(r"^(?:\w+ )?(?:jeśli|jeżeli|gdy|gdyby\w*)\b", r", ?(?:jeśli|jeżeli|gdyby\w*) "),
    jokes=either(
        r"\b(?:żart|żartuję|żartowałem|żartowałam|dowcip|haha+|hehe+|lol|ironia|jasne, akurat)\b", r"[😂🤣😜😉]"
    ),
    once=either(
        r"\b(?:tylko|jedynie) (?:na |w )?(?:dzisiaj|dziś|teraz|tym razem|ten raz|raz)\b",
        (
            r"\b(?:tym razem|na razie|dzisiaj|dziś|w tej chwili|teraz|wieczorem|wczoraj|jutro"
            r"|w tym (?:zadaniu|tekście|przypadku)|do tego zadania|znowu)\b"
        ),
    ),
    passing=either(
        (
            r"(?:ja )?(?:jestem|byłem|byłam|czuję się)(?: bardzo| taki| taka| trochę| już| jeszcze"
            r"| naprawdę)* (?:zmęczon[ya]|głodn[ya]|spragnion[ya]|smutn[ya]|szczęśliw[ya]|zł[ya]|chor[ya]"
            r"|gotow[ya]|zajęt[ya]|tutaj|tu|w (?:domu|drodze|pracy)|na spotkaniu|ciekaw[ay]?"
            r"|zestresowan[ya]|znudzon[ya]|pewien|pewna|spóźnion[ya]|zdziwion[ya])\b"
        ),
        (
            r"(?:ja )?mam (?:małe |mały |jedno |dużo |mało |taką |jeszcze )*(?:pytanie|problem|pomysł"
            r"|spotkanie|gorączkę|ochotę|czas|czasu|rację|dość|błąd|nadzieję|wrażenie|ból|kaca)\b"
        ),
        (
            r"(?:ja )?(?:chcę|muszę|mogę|potrzebuję|wiem|widzę|rozumiem|szukam|próbuję|idę|czuję"
            r"|nie (?:wiem|rozumiem|mogę|chcę|mam)|boli|umieram|zapomniał\w+)\b"
        ),
        (
            r"(?:mój|moja|moje|nasz|nasza|ten|ta) (?:[\w-]+ ){1,2}(?:jest|są|był\w*)(?: bardzo| już"
            r"| znowu| taki| taka)* (?:zepsut[ya]|pust[ya]|woln[ya]|super|świetn[ya]|dobr[ya]|zł[ya]"
            r"|ładn[ya]|spóźnion[ya]|chor[ya]|odwołan[ya]|gotow[ya]|zmęczon[ya])\b"
        ),
        r"(?:mój|moja|moje) \w+ (?:nie działa|boli)\b",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:przetłumacz\w*|tłumacz|popraw\w*|przepisz|przeredaguj|sparafrazuj|streść"
            rf"|podsumuj|dokończ|jak powiedzieć)\b"
        ),
        (
            rf"^{_POLITE}(?:napisz|opowiedz|wymyśl)\b.{{0,40}}\b(?:opowiadanie|historię|wiersz|piosenkę"
            rf"|bajkę|żart|dowcip|dialog|powieść)\b"
        ),
        r"(?:wyobraź sobie|załóżmy|udawaj|przykład ?:)",
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:napisz|przygotuj|wyślij|zredaguj)\b.{{0,60}}\b(?:e-?mail\w*|mail\w*|list"
            rf"|wiadomość|tekst|zdanie|że jestem)\b"
        ),
        r"^powiedz (?:mu|jej|im)\b",
    ),
    refers=either(
        r"(?:i |a |ale )?(?:on|ona|ono|oni|one|to|ten|ta|tam|jego|jej|ich|tamten)\b(?! (?:jest"
        r"|są) (?:mój|moja|nasz))"
    ),
    affirms=either(r"(?:tak|dokładnie|zgadza się|nie)\b"),
    trails=either(r"[,;–—-]+ ?(?:proszę|dzięki|dziękuję|tak przy okazji)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            (
                rf"{_POLITE}(?:mów (?:mi|do mnie)|nazywaj mnie|możesz mi mówić) (?:po prostu "
                rf"|per )?(?P<thing>{_NAME})"
            ),
        ),
        preference("address", 8_900, "address.form", r"mów (?:mi|do mnie) (?:na|per) (?P<thing>ty|pan|pani)\b"),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            rf"{_POLITE}(?:zawsze|nigdy)(?: nie)? (?!był\w*|widzia\w+|mia\w+|chcia\w+|więcej)(?P<thing>\w+.{{3,80}})",
            (
                rf"{_POLITE}(?P<thing>(?:odpowiad\w*|pisz|używaj|podawaj|pokazuj|mów|wyjaśniaj|dodawaj"
                rf"|sprawdzaj|uruchamiaj|rób|cytuj|zaczynaj|kończ|bądź)\b.{{0,60}}\b(?:zawsze|nigdy|od teraz"
                rf"|za każdym razem|domyślnie|w każdym|każd\w+)\b.{{0,60}})"
            ),
            r"(?:od teraz|od dziś|od dzisiaj|na przyszłość|w przyszłości),? (?!będę|jestem)(?P<thing>.{3,90})",
            r"(?:my )?(?P<thing>(?:zawsze|nigdy)(?: nie)? \w+my\b.{2,60})",
            (
                r"(?P<thing>(?:każd[yae]|wszystkie) [\w ]{2,30} (?:musi|muszą|powinien|powinna"
                r"|powinny)\b.{3,60})"
            ),
            (
                r"(?:kiedy|gdy|za każdym razem,? gdy) .{3,60}, (?:zawsze )?(?:odpowiadaj|podawaj|pokazuj"
                r"|używaj|pisz|daj)\b.{2,60}"
            ),
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:odpowiadaj|odpowiedz|mów|pisz)(?: mi| do mnie)?(?: tylko)? (?P<thing>(?:po|w"
                rf"|krótko|zwięźle)\b.{{0,50}})"
            ),
            rf"{_POLITE}(?:bądź) (?P<thing>(?:zwięzł\w+|formaln\w+|bezpośredni\w*|mił\w+).{{0,40}})",
            rf"{_POLITE}(?:bez|nie używaj|unikaj) (?P<thing>(?:emoji|emotikon\w*|żargonu).{{0,40}})",
            (
                rf"{_POLITE}używaj (?P<thing>.{{0,30}}\b(?:metryczn\w+|celsjusza|24-godzinn\w+"
                rf"|kilometr\w+)\b.{{0,40}})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:ja )?(?:wolę|wolimy|preferuję) (?!(?:pierwsz|drug)\w+|to\b|ten\b|tę\b"
                r"|nie\b)(?P<thing>.{2,70})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"(?:ja )?(?:bardzo |naprawdę )?(?:nienawidzę|uwielbiam|kocham|lubię|nie lubię|nie znoszę"
                r"|nie cierpię|nie przepadam za) (?!to\b|tego\b|cię|twój|twoj|ten pomysł|gdy"
                r"|jak)(?P<thing>.{2,50})"
            ),
            r"(?:nie )?jestem (?:wielkim |wielką )?fan(?:em|ką) (?P<thing>.{2,40})",
        ),
        preference(
            "likes", LIKELY, "favourite", r"(?:mój|moja|moje) (?P<thing>(?:ulubion\w+) [\w ]{2,30}?) (?:to|jest)\b"
        ),
        fact(
            "first_person",
            SURE,
            (
                r"(?:ja )?(?:mieszkam|pochodzę z|mam na imię|nazywam się|urodził[ae]m się|urodziłam się"
                r"|wychował[ae]m się|pracuję (?:jako|w|we|na|dla|z|od|zdalnie|przy)|mam \d{1,3} lat\w*"
                r"|mówię po)\b"
            ),
            (
                r"(?:ja )?(?:mam|cierpię na) (?:uczulenie|alergię|cukrzycę|astmę|celiakię|nietolerancję"
                r"|nadciśnienie|padaczkę|migreny)\b"
            ),
            (
                r"(?:ja )?jestem(?: też| od \w+(?: \w+)?)* (?:uczulon[ya]|wegetarianin\w*|wegetariank\w+"
                r"|wegan\w+|alergik\w+|cukrzykiem|w ciąży|żonaty|zamężna|rozwiedzion[ya]|wdow\w+"
                r"|na emeryturze|leworęczn[ya]|daltonist\w+|emeryt\w+)\b"
            ),
            (
                r"(?:ja )?jestem (?:\w+ )?(?:lekarzem|lekarką|pielęgniar\w+|nauczyciel\w+|inżynierem"
                r"|prawnikiem|prawniczką|studentem|studentką|programist\w+|piekarzem|dziennikar\w+"
                r"|architekt\w*|księgow\w+|kucharzem|kucharką|tłumacz\w*|farmaceut\w+|dentyst\w+"
                r"|weterynarz\w*|hydraulikiem|elektrykiem|muzykiem|pisark\w+|pisarzem|fotograf\w*"
                r"|psycholog\w*)\b"
            ),
            r"(?:ja )?nie (?:jem|piję|palę|toleruję) (?!nic|tego|teraz|więcej)",
            (
                rf"{_MY} (?:urodziny|imię|nazwisko|adres|numer|strefa czasowa|grupa krwi|zawód|e-mail"
                rf"|język ojczysty|data urodzenia) (?:są|jest|to|wypadają|przypadają)\b"
            ),
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"(?:ja )?mam (?:jednego |jedną |dwóch |dwie |dwoje |dwa |troje |trzech |trzy |cztery "
                r"|czworo |\d+ |brata|siostrę|syna|córkę|psa|kota)(?:\w+)?"
            ),
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?: {_NAME})? (?:mieszka|mieszkają|pracuje|pracują|nazywa się"
                rf"|nazywają się|ma na imię|studiuje|pochodzi|mówi po|ma (?:\w+ lat\w*|\d|uczulenie|alergię"
                rf"|cukrzycę|dwoje|dwie|dwóch)|jest (?:lekarzem|lekarką|nauczyciel\w+|pielęgniar\w+|prawni\w+"
                rf"|inżynierem|uczulon[ya]|weg\w+|na emeryturze|w ciąży|z (?-i:[A-Z]))|urodził\w+)\b"
            ),
            (
                r"(?:ja )?(?:przeprowadziłe?a?m się|wyszłam za mąż|ożeniłem się|rzuciłe?a?m palenie|studiuję"
                r"|studiowałe?a?m|uczę się .{2,30} od|gram na|biorę \d|jeżdżę (?-i:[A-Z]))\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:my )?(?:zdecydowaliśmy|zdecydowałyśmy|postanowiliśmy|ustaliliśmy|wybraliśmy"
                r"|przenieśliśmy|przeszliśmy|zastąpiliśmy|zaktualizowaliśmy|wdrożyliśmy|uzgodniliśmy)\b"
            ),
            r"(?:my )?(?:używamy|korzystamy z|pracujemy na|mamy \d)\b",
            (
                r"(?:nasz|nasza|nasze) (?:[\w-]+ ){1,4}?(?:jest|są|używa|działa|nazywa się|ma|mają|to"
                r"|nasłuchuje)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?: {_NAME})? (?:jest|ma|mówi|powiedział\w*|nie lubi|lubi|nienawidzi"
                rf"|uwielbia|gra|jeździ|nie je|je|są|był\w*|to)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:mój|moja|moje|nasz|nasza|nasze) (?:[\w'/.-]+ ){1,4}?"
                r"(?:trwa|trwają|zaczyna|kończy|otwiera|zamyka|kosztuje|spotyka|znajduje|należy|obejmuje)\b"
            ),
            (
                r"(?!(?:mój|moja|moje|moi) (?:[\w'-]+ ){1,3}?(?:jest|są) (?:(?:bardzo|prawie|już|jeszcze|tak"
                r"|za) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:mój|moja|moje|moi) (?:[\w-]+ ){1,5}?(?:jest|są|ma"
                r"|mają|nazywa się|wygasa|zaczyna|kończy|kosztuje|odlatuje|to)\b"
            ),
            (
                r"(?:ja )?(?:używam|gram|zbieram|trenuję|jeżdżę|uczę się|biegam|pływam|wstaję|kupiłe?a?m|ważę"
                r"|chodzę|noszę|pracuję|mam) .{3,}"
            ),
            r"jestem .{2,40}\b(?:od|z)\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:[\w/.-]+ ){1,5}?(?:to|jest|działa na|nazywa się|nasłuchuje|zaczyna się|kończy się|wygasa"
                r"|kosztuje)\b(?=.*\d)(?!.*\bstolic)"
            ),
            (
                rf"(?!(?:To|Ten|Ta|Ja|Ty|On|Ona|My|Nie|Czy|Jak|Co|Kto|Jest|Mój|Moja)\b){_NAME} (?:mieszka"
                rf"|pracuje|kieruje|jest (?:moim|moją|naszym)|przeprowadził\w+)\b"
            ),
        ),
    ),
)
