"""Czech."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:máma|táta|matka|otec|rodiče|bratr|bratři|sestra|sestry|syn|synové|dcera|dcery|dítě|děti"
    r"|žena|manželka|manžel|muž|partner|partnerka|přítelkyně|přítel|snoubenec|snoubenka|strýc"
    r"|strejda|teta|bratranec|sestřenice|babička|děda|dědeček|vnuk|vnučka|tchyně|tchán|šéf|šéfová"
    r"|kolega|kolegyně|soused|sousedka|kamarád|kamarádka|pes|fena|kočka|kocour|kůň|doktor"
    r"|doktorka|zubař|zubařka|tým)"
)
_MY = r"(?:můj|moje|má|mí|náš|naše|naši)"
_POLITE = r"(?:prosím,? |můžeš |mohl bys )*"
_NAME = r"(?-i:[A-ZÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ])[\w-]+"

CZECH = Language(
    code="cs",
    markers=words(
        "nejím nepiju nepiji nekouřím žiju žiji používáme rozhodli používej bolí já jsem mám můj "
        "moje mě mi my náš naše je jsou byl byla to ne se a v na z do od po pro že jak co kdo kde "
        "kdy vždy nikdy ano jen dnes děkuju děkuji možná kdyby kdybych bydlím pracuju pracuji "
        "nesnáším miluju raději než let roku ten ta ty které která hodin moc odpovídej přelož myslím "
        "prosím vlastně si jsme ve hlad jmenuju jmenuji narozeniny"
    ),
    openers=either(
        r"(?:(?:a|ale|takže|no|ahoj|čau|ano|jo|ok|aha|mimochodem|navíc|díky|protože)(?:[,:;!.–-]+ ?"
        r"| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:a|ale|protože|takže) )?", r" (?:[–—-]+|a|ale) "),
    reminds=either(
        _POLITE
        + (
            r"(?:pamatuj(?: si)?|zapamatuj si|nezapomeň|poznamenej si|zapiš si|měj na paměti"
            r"|pro informaci)(?:,? že | ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:ne|aha|promiň|pardon),? )*(?:vlastně|oprava|ve skutečnosti|myslela? jsem"
            r"|chtěla? jsem říct|spletla? jsem se|přesněji)[,:]? ?"
        ),
        r"(?:ne|promiň)[,:] (?=(?:můj|moje|náš|je|port)\b)",
    ),
    negates=either(r",? (?:a )?ne (?!vím)[\w-]+", r"\bmísto\b", r"\buž ne\w*\b", r", nikoliv? "),
    states=either(
        r"\b(?:je|jsou|byl|byla|bylo|má|mají|používá|používáme|běží|jmenuje se|bydlí|začíná|končí"
        r"|stojí|vyprší|poslouchá|leží|jde|jdou|změnil\w*|musí|odlétá|odjíždí)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        r"^(?:a |ale )?(?:co|kdo|kde|kdy|proč|jak|jaký|jaká|který|která|kolik) ",
        r"\b(?:zajímalo by mě|řekni mi,? jestli)\b",
    ),
    hedges=either(
        r"\b(?:možná|asi|nejspíš|pravděpodobně|zřejmě|prý|údajně|snad|myslím|tuším|řekl bych|hádám"
        r"|zdá se|nejsem si jist\w*|nevím|kdo ví|mohl by|mohla by|mohli by|uvažuju|uvažuji|uvažujeme"
        r"|přemýšlím|někdy možná|doufám|pochybuji|pochybuju)\b"
    ),
    supposes=either(
        r"\b(?:představ si|představme si|předpokládejme|řekněme|dejme tomu|dělej, že|předstírej"
        r"|jako by|jako kdyby|například|např\.|v (?:knize|románu|filmu|hře|příběhu|článku|písni)"
        r"|ve (?:snu|hře|filmu)|jsi (?:můj|moje|teď)|podle|chtěl bych|chtěla bych|kdyby\w*|bych"
        r"|bychom)\b"
    ),
    conditions=either(r"^(?:\w+ )?(?:jestli|jestliže|pokud|když|kdyby\w*)\b", r", ?(?:jestli|pokud|kdyby\w*) "),
    jokes=either(
        (
            r"\b(?:vtip|žertuju|žertuji|dělám si legraci|dělal jsem si|sranda|srandu|haha+|hehe+|lol"
            r"|ironie|no jasně, určitě)\b"
        ),
        r"[😂🤣😜😉]",
    ),
    once=either(
        r"\b(?:jen|pouze|jenom) (?:pro )?(?:dnes|dnešek|teď|tentokrát|jednou)\b",
        (
            r"\b(?:tentokrát|zatím|prozatím|dnes|dneska|právě teď|teď|večer|včera|zítra|pro tento (?:úkol"
            r"|text|případ)|v tomto případě|zase)\b"
        ),
    ),
    passing=either(
        (
            r"(?:já )?(?:jsem|byla? jsem|cítím se)(?: moc| velmi| trochu| už| ještě| tak| docela"
            r"| fakt)* (?:unaven\w+|hladov\w+|smutn\w+|šťastn\w+|naštvan\w+|nemocn\w+|připraven\w+"
            r"|zaneprázdněn\w+|tady|doma|na cestě|na schůzce|v práci|zvědav\w+|ve stresu|znuděn\w+"
            r"|si jist\w*|rád|ráda|zmaten\w+|pozdě|mrtv\w+|překvapen\w+)\b"
        ),
        (
            r"(?:já )?mám (?:malý |jeden |moc |velký |takový |ještě |nějaký |rád otázku)*(?:hlad|žízeň"
            r"|otázku|dotaz|problém|nápad|schůzku|horečku|chuť|čas|pravdu|dost|chybu|strach|pocit|bolest"
            r"|kocovinu)\b"
        ),
        (
            r"(?:já )?(?:chci|musím|můžu|mohu|potřebuju|potřebuji|vím|vidím|rozumím|chápu|hledám|zkouším"
            r"|jdu|cítím|nevím|nerozumím|nemůžu|nechci|nemám (?:čas|tušení)|umírám|zapomněl\w*|bolí)\b"
        ),
        (
            r"(?:můj|moje|má|náš|naše|ten|ta) (?:[\w-]+ ){1,2}(?:je|jsou|byl\w*)(?: moc| už| zase| tak"
            r"| úplně)* (?:rozbit\w+|prázdn\w+|pomal\w+|super|skvěl\w+|dobr\w+|špatn\w+|hezk\w+|nemocn\w+"
            r"|zrušen\w+|hotov\w+|unaven\w+|vybit\w+)\b"
        ),
        r"(?:můj|moje) \w+ (?:nefunguje|bolí)\b",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:přelož\w*|oprav (?:tento|tuto|větu|text)|přepiš|přeformuluj|parafrázuj|shrň"
            rf"|dokonči|jak se řekne)\b"
        ),
        (
            rf"^{_POLITE}(?:napiš|vyprávěj|vymysli|řekni)\b.{{0,40}}\b(?:příběh|povídku|báseň|píseň"
            rf"|písničku|pohádku|vtip|dialog|román)\b"
        ),
        r"(?:představ si|předpokládejme|předstírej|příklad ?:)",
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:napiš|připrav|pošli|sepiš)\b.{{0,60}}\b(?:e-?mail|mail|dopis|zprávu|text|větu"
            rf"|že jsem)\b"
        ),
        r"^řekni (?:mu|jí|jim)\b",
    ),
    refers=either(
        r"(?:a |ale )?(?:on|ona|ono|oni|to|ten|ta|tam|jeho|její|jejich|je (?:v|na|to|ve)"
        r"|má)\b(?! (?:je|jsou) (?:můj|moje))"
    ),
    affirms=either(r"(?:ano|jo|přesně|ne)\b"),
    trails=either(r"[,;–—-]+ ?(?:prosím|díky|děkuju|mimochodem)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            (
                rf"{_POLITE}(?:říkej mi|říkejte mi|oslovuj mě|můžeš mi říkat) (?:prostě "
                rf"|jen )?(?P<thing>{_NAME})"
            ),
        ),
        preference("address", 8_900, "address.form", rf"{_POLITE}(?:tykej|vykej|tykejte|vykejte) mi\b"),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            rf"{_POLITE}(?:vždy|vždycky|nikdy) (?!jsem|jsme|víc|bylo)(?P<thing>\w+.{{3,80}})",
            (
                rf"{_POLITE}(?P<thing>(?:odpovíd\w*|piš\w*|používej\w*|uváděj|ukazuj|mluv|vysvětluj|přidávej"
                rf"|kontroluj|spouštěj|dělej|cituj|začínej|konči|buď)\b.{{0,60}}\b(?:vždy|vždycky|nikdy|od teď"
                rf"|od nynějška|pokaždé|každ\w+|standardně)\b.{{0,60}})"
            ),
            r"(?:od teď|od nynějška|ode dneška|odteď|do budoucna|napříště|příště),? (?!budu|jsem)(?P<thing>.{3,90})",
            r"(?:my )?(?P<thing>(?:vždy|nikdy) \w+me\b.{2,60})",
            r"(?P<thing>(?:každ[ýáé]|všechny) [\w ]{2,30} (?:musí|má mít|mají mít)\b.{3,60})",
            r"(?:když|kdykoli|pokaždé,? když) .{3,60}, (?:vždy )?(?:odpovídej|uváděj|ukaž|používej|piš|dej)\b.{2,60}",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:odpovídej|odpověz|mluv|piš)(?: mi| se mnou| na mě)?(?: jen)? (?P<thing>(?:česky"
                rf"|anglicky|slovensky|německy|stručně|krátce|v |ve |bez )\b.{{0,50}})"
            ),
            rf"{_POLITE}buď (?P<thing>(?:stručn\w+|formáln\w+|přím\w+|zdvořil\w+).{{0,40}})",
            rf"{_POLITE}(?:bez|nepoužívej|vyhni se) (?P<thing>(?:emoji|smajlík\w*|žargon\w*).{{0,40}})",
            (
                rf"{_POLITE}používej (?P<thing>.{{0,30}}\b(?:metrick\w+|celsia|24hodinov\w+"
                rf"|kilometr\w+)\b.{{0,40}})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:já )?(?:mám|piju|jím|používám|čtu|pracuji|pracuju|cestuji|chci) (?:raději"
                r"|radši) (?P<thing>.{2,70})"
            ),
            (
                r"(?:já )?(?:preferuji|preferuju|upřednostňuji|upřednostňuju|dávám přednost) (?!t[uo]\b|prvn"
                r"|druh)(?P<thing>.{2,70})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"(?:já )?(?:opravdu |moc )?(?:nesnáším|nenávidím|miluju|miluji|zbožňuju|zbožňuji|nemám ráda?"
                r"|mám (?:moc |velmi )?ráda?) (?!to\b|tě\b|tvůj|tvoje|ten nápad|když)(?P<thing>.{2,50})"
            ),
            r"(?:nejsem|jsem) (?:velký |velká )?(?:fanoušek|fanynka) (?P<thing>.{2,40})",
            r"(?:ráda?) (?:čtu|hraju|vařím|cestuju|běhám|piju|jím|poslouchám) ?(?P<thing>.{0,40})",
        ),
        preference("likes", LIKELY, "favourite", r"(?:můj|moje|má) (?P<thing>oblíben\w+ [\w ]{2,30}?) (?:je|jsou)\b"),
        fact(
            "first_person",
            SURE,
            (
                r"(?:já )?(?:bydlím|žiju|žiji|pocházím z|jmenuju se|jmenuji se|narodila? jsem se"
                r"|vyrostla? jsem|pracuju (?:jako|v|ve|na|pro|z|od)|pracuji (?:jako|v|ve|na|pro|z|od)"
                r"|je mi \d{1,3} let|mluvím (?:česky|anglicky|německy|francouzsky|španělsky|rusky|polsky))\b"
            ),
            (
                r"(?:já )?(?:mám|trpím) (?:\w+ )?(?:alergii|alergií|cukrovku|cukrovkou|astma|astmatem"
                r"|celiakii|intoleranci|epilepsii|vysoký tlak|migrény)\b"
            ),
            (
                r"(?:já )?jsem(?: taky| od \w+(?: \w+)?)* (?:alergick[ýá]|alergi(?:k|čka)|vegetarián(?:ka)?"
                r"|vegan(?:ka)?|těhotná|ženatý|vdaná|rozveden[ýá]|vdov\w+|v důchodu|levá(?:k|čka)"
                r"|barvoslep[ýá]|diabeti(?:k|čka)|celia(?:k|čka))\b"
            ),
            (
                r"(?:já )?jsem (?:\w+ )?(?:lékař(?:ka)?|doktor(?:ka)?|zdravotní sestra|učitel(?:ka)?"
                r"|inženýr(?:ka)?|právni(?:k|čka)|student(?:ka)?|programátor(?:ka)?|vývojář(?:ka)?"
                r"|pekař(?:ka)?|novinář(?:ka)?|architekt(?:ka)?|účetní|kuchař(?:ka)?|překladatel(?:ka)?"
                r"|lékárni(?:k|ce)|zubař(?:ka)?|veterinář(?:ka)?|instalatér|elektrikář|hudebni(?:k|ce)"
                r"|spisovatel(?:ka)?|fotograf(?:ka)?|psycholog|psycholožka)\b"
            ),
            r"(?:já )?(?:nejím|nepiju|nepiji|nekouřím|nesnesu) (?!nic|to\b|teď|víc)",
            (
                rf"{_MY} (?:narozeniny|jméno|příjmení|adresa|číslo|časové pásmo|krevní skupina|povolání|e-mail"
                rf"|mateřština|datum narození) (?:jsou|je|připadají)\b"
            ),
            r"narozeniny mám\b",
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"(?:já )?mám (?:jednoho |jednu |dva |dvě |tři |čtyři |pět |\d+ )(?:\w+ )?(?:dět\w+|syn\w*"
                r"|dcer\w*|bratr\w*|sest\w+|ps[ya]|koč\w+|kon\w+|vnouč\w+)\b"
            ),
            r"(?:já )?mám (?:bratra|sestru|syna|dceru|psa|kočku|dvojčata)\b",
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?: {_NAME})? (?:bydlí|žije|žijí|pracuje|pracují|jmenuje se|jmenují se"
                rf"|se jmenuje|studuje|pochází|mluví|má (?:\w+ let|\d|alergii|cukrovku|dvě|dva|tři)"
                rf"|je (?:lékař\w*|doktor\w*|učitel\w*|právni\w+|inženýr\w*|alergick\w+|veg\w+|v důchodu"
                rf"|těhotná|z (?-i:[A-Z])|zdravotní)|se narodil\w*|je \d)\b"
            ),
            (
                r"(?:já )?(?:přestěhovala? jsem se|oženil jsem se|vdala jsem se|přestala? jsem kouřit|studuju"
                r"|studuji|studovala? jsem|učím se .{2,30} od|hraju na|hraji na|beru \d|jezdím (?-i:[A-Z]))\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:my )?(?:rozhodli jsme|dohodli jsme|vybrali jsme|přešli jsme|přesunuli jsme"
                r"|nahradili jsme|aktualizovali jsme|zavedli jsme|zrušili jsme|migrovali jsme)\b"
            ),
            r"(?:my )?(?:jsme se (?:rozhodli|dohodli)|používáme|pracujeme s|máme \d)\b",
            (
                r"(?:náš|naše) (?:[\w-]+ ){1,4}?(?:je|jsou|používá|běží|jmenuje se|se jmenuje|má|mají"
                r"|poslouchá)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?: {_NAME})? (?:je|má|říká|řekl\w*|nesnáší|miluje|hraje|jezdí|nejí|jí"
                rf"|jsou|byl\w*)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:můj|moje|má|náš|naše) (?:[\w'/.-]+ ){1,4}?"
                r"(?:trvá|trvají|začíná|končí|otevírá|otvírá|zavírá|stojí|schází|nachází|patří|zahrnuje|sídlí)\b"
            ),
            (
                r"(?!(?:můj|moje|má|mí) (?:[\w'-]+ ){1,3}?(?:je|jsou) (?:(?:velmi|skoro|už|ještě|tak"
                r"|moc) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:můj|moje|má|mí) (?:[\w-]+ ){1,5}?(?:je|jsou|má|mají"
                r"|se jmenuje|vyprší|začíná|končí|stojí|odlétá|odjíždí)\b"
            ),
            (
                r"(?:já )?(?:používám|hraju|hraji|sbírám|trénuju|jezdím|učím se|běhám|plavu|vstávám"
                r"|koupila? jsem|vážím|chodím|nosím|pracuju|pracuji|mám) .{3,}"
            ),
            r"jsem .{2,40}\b(?:od|z)\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:[\w/.-]+ ){1,5}?(?:je|běží na|se jmenuje|poslouchá|začíná|končí|vyprší"
                r"|stojí)\b(?=.*\d)(?!.*\bhlavní město)"
            ),
            (
                rf"(?!(?:To|Ten|Ta|Já|Ty|On|Ona|My|Ne|Jak|Co|Kdo|Je|Můj|Moje)\b){_NAME} (?:bydlí|pracuje|vede"
                rf"|je (?:můj|moje|náš|naše)|se přestěhoval\w*)\b"
            ),
        ),
    ),
)
