"""Portuguese, of both sides of the ocean."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:mãe|pai|pais|irmãos?|irmãs?|filh[oa]s?|espos[oa]|mulher|marido|parceir[oa]|namorad[oa]"
    r"|noiv[oa]|ti[oa]s?|prim[oa]s?|sobrinh[oa]s?|avós?|avôs?|avó|avô|net[oa]s?|sogr[oa]"
    r"|cunhad[oa]|chefe|colega|vizinh[oa]s?|senhori[oa]|amig[oa]s?|cão|cães|cachorr[oa]s?|cadela"
    r"|gat[oa]s?|cavalo|médic[oa]|dentista|equipa|equipe)"
)
_MY = r"(?:(?:o|a|os|as) )?(?:meus?|minhas?|nossos?|nossas?)"
_POLITE = r"(?:por favor,? |podes |pode |você pode )*"
_NAME = r"(?-i:[A-ZÁÂÃÉÊÍÓÔÕÚÇ])[\w'-]+"

PORTUGUESE = Language(
    code="pt",
    markers=words(
        "bebo falo nasci com eu sou tenho meu minha meus minhas nosso nossa nós é são o a os as um "
        "uma de do da dos das e ou não em no na nos nas com por para desde que quem como quando onde "
        "se me te seu sua muito sempre nunca estou moro trabalho chamo anos obrigado obrigada talvez "
        "está usa usamos há prefiro odeio detesto gosto responde chamo-me ao à às você decidimos "
        "acho imagina traduz só isto porta verdade"
    ),
    openers=either(
        r"(?:(?:e|mas|bem|bom|aliás|a propósito|já agora|olá|oi|sim|ok|ah|além disso|obrigad[oa]"
        r"|porque|n[oa] \w+)(?:[,:;!.–-]+ ?| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:e|mas|porque|pois|por isso|já que) )?", r" (?:[–—-]+|e|mas|porque) "),
    reminds=either(
        _POLITE
        + (
            r"(?:lembra-te|lembre-se|lembra|lembre|não te esqueças|não se esqueça|não esqueça|não esquece"
            r"|tem em conta|tenha em conta|tem em mente|tenha em mente|anota|anote|toma nota|fica a saber"
            r"|para tua informação)(?: de)?(?:,? que | ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:não|ah|desculpa|desculpe),? )*(?:na verdade|na realidade|correção|queria dizer"
            r"|quis dizer|enganei-me|me enganei|aliás|ou melhor)[,:]? ?"
        ),
        r"(?:não|desculpa)[,:] (?=(?:o|a|meu|minha|é)\b)",
    ),
    negates=either(r",? (?:e )?não (?!sei|tenho|acho|estou)[\w'-]+", r"\bem vez de\b", r"\bjá não\b"),
    states=either(
        r"\b(?:é|são|era|tem|têm|usa|usam|usamos|está|estão|chama-se|se chama|mora|vive|começa"
        r"|termina|acaba|custa|expira|corre|escuta|fica|vai|vão|mudou|deve|sai|funciona)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        (
            r"^(?:e |mas )?(?:que|o que|quem|como|quando|onde|qual|quais|quanto|quantos|por que|porquê"
            r"|porque é que) (?:é|são|horas|posso|devo|está|fica|faço|se)\b"
        ),
        r"^(?:podes|pode|sabes|você sabe|devo|será|tens)\b",
        r"\b(?:pergunto-me|me pergunto|diz-me (?:se|o que|como)|me diga (?:se|o que|como))\b",
    ),
    hedges=either(
        r"\b(?:talvez|provavelmente|possivelmente|se calhar|supostamente|aparentemente|acho|creio"
        r"|penso que|suponho|imagino que|parece-me|me parece|parece|não tenho (?:a )?certeza|não sei"
        r"|sei lá|quem sabe|poderia|podia|pode ser|deve ser|dizem que|estou a pensar|estou pensando"
        r"|um dia|tomara|oxalá|espero|duvido)\b"
    ),
    supposes=either(
        r"\b(?:imagina|imagine|imaginemos|supõe|suponha|suponhamos|finge|finja|digamos que"
        r"|faz de conta|como se|por exemplo|n[oa] (?:livro|romance|filme|jogo|história|conto|sonho"
        r"|artigo|canção)|jogo de papéis|(?:tu )?és (?:um|uma|o meu|a minha)|você é (?:um|uma)"
        r"|segundo|gostaria|gostava de|queria|seria|teria|iria|viveria|moraria|faria|\w+aria|\w+eria"
        r"|morasse|vivesse|fosse|tivesse)\b(?! dizer)"
    ),
    conditions=either(r"^(?:\w+ )?(?:se|caso)\b", r", ?(?:se|caso) "),
    jokes=either(
        (
            r"\b(?:brincadeira|brincando|a brincar|estou a gozar|piada|haha+|kkk+|rsrs+|lol|ironia"
            r"|pois claro|até parece)\b"
        ),
        r"[😂🤣😜😉]",
    ),
    once=either(
        r"\b(?:só|apenas|somente) (?:por |para )?(?:hoje|agora|desta vez|dessa vez|est[ae]|uma vez)\b",
        (
            r"\b(?:desta vez|dessa vez|por agora|por hoje|hoje|agora mesmo|neste momento|esta (?:noite"
            r"|manhã|tarde)|ontem|para est[ae] (?:tarefa|resposta|texto|mensagem|caso)|outra vez"
            r"|de novo)\b"
        ),
    ),
    passing=either(
        (
            r"(?:eu )?(?:estou|tô)(?: muito| tão| um pouco| mesmo| já| super)* (?!casad|divorciad|grávid"
            r"|reformad|aposentad|a aprender|aprendendo|a estudar|estudando|a fazer dieta|noiv)"
        ),
        (
            r"(?:eu )?tenho (?:muita |muito |um pouco de |tanta |uma |um |de |que )*(?:fome|sede|frio"
            r"|calor|sono|medo|pressa|pergunta|dúvida|problema|ideia|reunião|dor|dores|febre|vontade"
            r"|razão|erro|consulta|sorte|saudades)\b"
        ),
        (
            r"(?:eu )?(?:quero|preciso|devo|posso|vou|sei|vejo|percebo|entendo|procuro|tento|venho"
            r"|acabei de|não (?:sei|entendo|percebo|posso|consigo|encontro|quero)|sinto|esqueci|perdi"
            r"|tenho (?:de|que))\b"
        ),
        (
            r"(?:(?:o|a) )?(?:meu|minha|nosso|nossa|o|a) (?:[\w-]+ ){1,2}(?:está|estão|estava)(?: muito"
            r"| tão| já| outra vez)* (?!em |no |na |casad|localizad|escrit|reformad|grávid|alojad)"
        ),
        r"(?:(?:o|a) )?(?:meu|minha|o|a) \w+ (?:não (?:funciona|anda)|dói|dói-me|avariou|caiu|foi (?:cancelad|ótim))",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:tradu[zç]\w*|corrig\w*|corrij\w*|reescrev\w*|reformul\w*|resum\w*|parafras\w*"
            rf"|melhora (?:este|esta|o)|completa (?:a|esta)|como se diz)\b"
        ),
        (
            rf"^{_POLITE}(?:escrev\w*|conta\w*|conte|invent\w*|compõe)\b.{{0,40}}\b(?:história|conto|poema"
            rf"|canção|piada|diálogo|romance|cena)\b"
        ),
        (
            r"\b(?:imagina que|imagine que|suponhamos|supõe que|finge que|faz de conta|exemplo ?:"
            r"|aqui está (?:um|o) (?:texto|exemplo))"
        ),
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:escrev\w*|redig\w*|redij\w*|prepara|envia)\b.{{0,60}}\b(?:e-?mail|carta"
            rf"|mensagem|texto|frase|discurso|que (?:estou|sou)|a dizer|dizendo)\b"
        ),
        r"^(?:diz-lhe|diga a|diz ao|diz à)\b",
    ),
    refers=either(
        r"(?:e |mas )?(?:ele|ela|eles|elas|isso|isto|aquilo|esse|essa|este|esta|lá|ali|seu|sua|é (?:o"
        r"|a|no|na|em|um|uma|às)|fica|chama-se|tem)\b"
    ),
    affirms=either(r"(?:sim|exato|correto|isso mesmo|não)\b"),
    trails=either(r"[,;–—-]+ ?(?:por favor|já agora|obrigad[oa]|tem isso em conta)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            (
                rf"{_POLITE}(?:chama-me|chame-me|me chama de|me chame de|trata-me por|podes chamar-me"
                rf"|pode me chamar de) (?:só |apenas )?(?P<thing>{_NAME})"
            ),
        ),
        preference(
            "address",
            8_900,
            "address.form",
            rf"{_POLITE}(?:trata-me|trate-me|me trate) (?:sempre )?por (?P<thing>tu|você|senhora?)\b",
        ),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            (
                rf"{_POLITE}(?P<thing>(?:respond\w*|escrev\w*|us[ae]\w*|utiliz\w*|dá\w*|dê\w*|mostr\w*"
                rf"|fal[ae]\w*|expli\w*|põe|coloqu\w*|acrescent\w*|adicion\w*|verifi\w*|execut\w*|corre|faz\w*"
                rf"|cit[ae]\w*|começ\w*|termin\w*|sê|seja|inclu\w*|rod[ae])\b.{{0,60}}\b(?:sempre|nunca|jamais"
                rf"|cada vez|a partir de agora|daqui em diante|de agora em diante|por padrão|por defeito|cada"
                rf"|todos os|todas as)\b.{{0,60}})"
            ),
            (
                r"(?:nunca|jamais) (?!fui|vi\b|tinha|tive|mais\b|é tarde|estive|comi"
                r"|li\b)(?P<thing>[a-záéíóúãõç]+(?:as|es|a|e|ar|er|ir|em|am)\b.{2,70})"
            ),
            r"sempre (?!quis|me\b|que\b|fui|foi|é\b)(?P<thing>[a-záéíóúãõç]+.{3,70})",
            (
                r"(?:a partir de agora|de agora em diante|daqui em diante|daqui para a frente"
                r"|a partir de hoje|no futuro),? (?!eu\b|vou\b)(?P<thing>.{3,90})"
            ),
            r"(?:n[ao] noss[ao] equip[ae],? )?(?:nós )?(?P<thing>(?:sempre|nunca) \w+(?:amos|emos|imos)\b.{2,60})",
            (
                r"(?P<thing>(?:cada|todos os|todas as|todo|toda) [\w ]{2,30} (?:deve|devem|tem de|têm de"
                r"|tem que|precisa|precisam)\b.{3,60})"
            ),
            (
                r"(?:quando|sempre que|cada vez que) (?:eu )?(?:te )?\w+ .{3,60}, (?:por favor "
                r"|sempre )*(?:responde|dá-me|mostra|usa|escreve|faz|me dê|use)\b.{2,60}"
            ),
            r"quero que (?P<thing>.{0,12}\b(?:sempre|nunca)\b.{3,60})",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:respond\w*|responde-me|fala\w*|fale|escreve-me)(?: comigo)?(?: só"
                rf"| apenas)? (?P<thing>(?:em|com) (?!uma palavra|uma frase).{{2,50}})"
            ),
            (
                rf"{_POLITE}(?:sê|seja) (?:mais |sempre )?(?P<thing>(?:breve|concis[oa]|diret[oa]|formal"
                rf"|informal|educad[oa]).{{0,40}})"
            ),
            rf"{_POLITE}(?:sem|não uses|não use|evita|evite) (?P<thing>(?:emojis?|jargão|gíria"
            rf"|anglicismos).{{0,40}})",
            (
                rf"{_POLITE}(?:usa|use|utiliza|utilize) (?P<thing>.{{0,30}}\b(?:métric\w+|celsius|24 horas"
                rf"|euros|reais|quilómetros|quilômetros)\b.{{0,40}})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:eu )?(?:prefiro|preferimos) (?!(?:a|o) (?:primeir|segund|terceir|últim)|est[ae]\b"
                r"|ess[ae]\b|isso|o teu|a tua|que\b|não\b)(?P<thing>.{2,70})"
            ),
            r"(?:eu )?gosto mais d[eoa]s? (?P<thing>.{2,60})",
            r"(?:eu )?prefiro que (?:você |tu |me |não )*(?P<thing>(?:respond|fal|us|escrev|trat|cham"
            r"|expli)\w+ .{2,60})",
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"(?:eu )?(?:odeio|amo|adoro|detesto|não suporto|não aguento) (?!iss?o\b|ist[oae]\b|est[ae]\b"
                r"|ess[ae]\b|o teu|a tua|que\b|quando)(?P<thing>.{2,50})"
            ),
            r"(?:eu )?(?:não )?gosto (?:muito |mesmo |nada )*d[eoa]s? (?!iss?o\b|ideia)(?P<thing>.{2,50})",
            r"(?:eu )?(?:não )?sou (?:muito )?(?:fã|adepto|adepta) d[eoa]s? (?P<thing>.{2,40})",
        ),
        preference(
            "likes", LIKELY, "favourite", rf"{_MY} (?P<thing>[\w ]{{2,30}} (?:favorit|preferid)[oa]s?) (?:é|são)\b"
        ),
        fact(
            "first_person",
            SURE,
            r"(?:eu )?(?:moro|vivo) (?:em|no|na|nos|nas|com|sozinh[oa]|desde|perto|a)\b(?! pensar)",
            (
                r"(?:eu )?(?:chamo-me|me chamo|sou d[eoa] (?-i:[A-Z])|venho d[eoa] (?-i:[A-Z])|nasci"
                r"|cresci (?:em|no|na)|trabalho (?:como|em|no|na|numa|num|de|para|a partir|desde|com|à noite"
                r"|às)|tenho \d{1,3} anos|falo (?:portugu|ingl|franc|alem|espanhol|itali))"
            ),
            (
                r"(?:eu )?sou(?: muito| também)* (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|intolerante"
                r"|diabétic[oa]|celíac[oa]|asmátic[oa]|casad[oa]|divorciad[oa]|viúv[oa]|solteir[oa]"
                r"|reformad[oa]|aposentad[oa]|canhot[oa]|daltónic[oa]|daltônic[oa]|autónom[oa])\b"
            ),
            (
                r"(?:eu )?sou (?:uma? )?(?:[\w-]+ )?(?:médic[oa]|enfermeir[oa]|professora?|engenheir[oa]"
                r"|advogad[oa]|estudante|programadora?|desenvolvedora?|padeir[oa]|jornalista|arquitet[oa]"
                r"|contabilista|contadora?|cozinheir[oa]|designer|tradutora?|farmacêutic[oa]|dentista"
                r"|veterinári[oa]|canalizador|eletricista|músic[oa]|escritora?|investigadora?|pesquisadora?"
                r"|fotógraf[oa]|psicólog[oa]|consultora?|bombeir[oa])\b"
            ),
            (
                r"(?:eu )?(?:tenho|sofro de) (?:uma? )?(?:\w+ )?(?:alergia|diabetes|asma|intolerância"
                r"|doença celíaca|epilepsia|hipertensão|enxaquecas?)\b"
            ),
            r"(?:eu )?não (?:como|bebo|tomo|fumo|tolero) (?!nada|isso|isto|mais|tanto|agora|nenhum)",
            (
                rf"{_MY} (?:aniversário|nome|apelido|sobrenome|morada|endereço|número|fuso horário"
                rf"|grupo sanguíneo|tipo sanguíneo|profissão|e-mail|língua materna|data de nascimento) (?:é"
                rf"|calha)\b"
            ),
            r"(?:estou|sou) (?:casad[oa]|grávida|divorciad[oa]|reformad[oa]|aposentad[oa]|noiv[oa])\b",
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"(?:eu )?tenho (?:uma?|dois|duas|três|quatro|cinco|\d+) (?:filh[oa]s?|irmãos?|irmãs?|cães"
                r"|cão|cachorr[oa]s?|gat[oa]s?|cavalos?|net[oa]s?|gémeos|gêmeos)\b"
            ),
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:mora|moram|vive|vivem|trabalha|trabalham|chama-se"
                rf"|se chama|chamam-se|estuda|estudam|fala|t[eê]m (?:\w+ anos|\d|uma?|dois|duas|três|alergia"
                rf"|diabetes)|é (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|médic[oa]|enfermeir[oa]|professora?"
                rf"|advogad[oa]|engenheir[oa]|d[eoa] (?-i:[A-Z])|uma? (?!pouco|desastre)|(?-i:[A-Z])\w)|nasceu"
                rf"|está (?:grávida|reformad[oa]))\b"
            ),
            (
                r"(?:eu )?(?:mudei-me para|me mudei para|mudei para|casei|casei-me|comecei a trabalhar"
                r"|comecei um|deixei de fumar|parei de fumar|estudei|estudo \w+ (?:em|na|no)|formei-me"
                r"|me formei|conduzo um|dirijo um|aprendo .{2,30} (?:desde|há)|toco .{2,30}|tomo \d"
                r"|vou ao .{2,40} (?:todos os|todas as|às))\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:nós )?(?:decidimos|acordámos|acordamos|escolhemos|migrámos|migramos|mudámos|mudamos"
                r"|substituímos|adotámos|adotamos|atualizámos|atualizamos|deixámos|deixamos|combinámos"
                r"|combinamos)\b"
            ),
            r"(?:nós )?(?:usamos|utilizamos|trabalhamos com|temos \d|somos \d)\b",
            (
                r"(?:(?:o|a|os|as) )?noss[oa]s? (?:[\w'-]+ ){1,4}?(?:é|são|usa|usam|corre|roda|chama-se"
                r"|se chama|tem|têm|está em|fica)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:é|tem|têm|diz|disse|disse-me|me disse|odeia|adora"
                rf"|gosta|faz|vai|joga|não come|come|conduz|toma|são|foi|não)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:(?:o|a|os|as) )?(?:meus?|minhas?|nossos?|nossas?) (?:[\w'/.-]+ ){1,4}?"
                r"(?:dura|duram|começa|começam|termina|acaba|abre|abrem|fecha|fecham|custa|reúne-se|se reúne"
                r"|fica|paga|inclui|pertence)\b"
            ),
            (
                r"(?!(?:(?:o|a|os|as) )?(?:meus?|minhas?) (?:[\w'-]+ ){1,3}?(?:é|são) (?:(?:muito|quase|já|ainda"
                r"|tão|demasiado) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:(?:o|a|os|as) )?(?:meus?"
                r"|minhas?) (?:[\w'-]+ ){1,5}?(?:é|são|tem|têm|chama-se|se chama|expira|começa|termina|acaba"
                r"|custa|sai|fica)\b"
            ),
            (
                r"(?:eu )?(?:uso|utilizo|jogo|coleciono|pratico|conduzo|dirijo|aprendo|estudo|corro|nado"
                r"|levanto-me|acordo|deito-me|comprei (?:uma casa|um apartamento|um carro|uma moto)|adotei|meço"
                r"|peso|toco|ando a aprender|estou a aprender|estou aprendendo|trabalho|tenho)\b.{3,}"
            ),
            r"sou .{2,40}\bdesde\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:o|a|os|as) (?:[\w'/.-]+ ){1,6}?(?:é|são|chama-se|se chama|começa|termina|expira|escuta"
                r"|corre|custa|fica)\b(?=.*(?:\d|chama))(?!.*\bcapital\b)"
            ),
            (
                rf"(?!(?:O|A|Os|As|Um|Uma|Meu|Minha|Isso|Isto|Esse|Essa|Este|Esta|Eu|Se|Que|Quem|Há|Não|Hoje"
                rf"|É)\b){_NAME} (?:mora|vive|trabalha|dirige|lidera|é (?:o meu|a minha|meu|minha|o nosso)"
                rf"|substitui|mudou-se)\b"
            ),
        ),
    ),
)
