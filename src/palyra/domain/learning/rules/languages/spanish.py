"""Spanish."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:madre|padre|mamá|papá|padres|herman[oa]s?|hij[oa]s?|espos[oa]|mujer|marido|pareja"
    r"|novi[oa]|prometid[oa]|tí[oa]|prim[oa]s?|sobrin[oa]s?|abuel[oa]s?|niet[oa]s?|suegr[oa]"
    r"|cuñad[oa]|jef[ea]|compañer[oa]s?|colega|vecin[oa]s?|caser[oa]|amig[oa]s?|perr[oa]s?"
    r"|gat[oa]s?|caballo|médic[oa]|dentista|equipo)"
)
_POLITE = r"(?:por favor,? |¿?puedes |podrías )*"
_NAME = r"(?-i:[A-ZÁÉÍÓÚÑ])[\w'-]+"

SPANISH = Language(
    code="es",
    markers=words(
        "como bebo uso hablo nací uses yo soy tengo mi mis me nos nosotros nuestro nuestra es son el "
        "la los las un una unos de del y o no en con por para desde que qué quién cómo cuándo dónde "
        "se te tu tus muy siempre nunca estoy vivo trabajo llamo años año gracias si quizás quizá "
        "está usa usamos hace prefiero odio gusta respóndeme llámame al lo hay decidimos responde "
        "creo imagina traduce ha hemos"
    ),
    openers=either(
        r"(?:(?:y|pero|pues|bueno|por cierto|además|hola|sí|ok|vale|oye|ah|para que sepas|gracias"
        r"|porque|en (?:el|la|mi|nuestr[oa]) \w+)(?:[,:;!.–-]+ ?| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:y|pero|porque|ya que|así que|pues) )?", r" (?:[–—-]+|y|pero|porque) "),
    reminds=either(
        _POLITE
        + (
            r"(?:recuerda|recuerde|acuérdate|ten en cuenta|ten presente|no olvides|no te olvides|anota"
            r"|apunta|toma nota|que sepas|para que sepas)(?: de)?(?:,? que | ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:no|ah|perdón|perdona),? )*(?:en realidad|corrección|quería decir|quise decir"
            r"|mejor dicho|me equivoqué|de hecho)[,:]? ?"
        ),
        r"(?:no|perdón)[,:] (?=(?:el|la|mi|nuestro|nuestra|es)\b)",
    ),
    negates=either(r",? (?:y )?no (?!sé|estoy|creo)[\w'-]+", r"\ben (?:vez|lugar) de\b", r"\bya no\b"),
    states=either(
        r"\b(?:es|son|era|tiene|tienen|usa|usan|usamos|está|están|se llama|vive|empieza|termina"
        r"|cuesta|vence|corre|escucha|queda|va|van|cambió|debe|sale|funciona|caduca)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        r"¿",
        r"^(?:y |pero )?(?:qué|quién|cómo|cuándo|dónde|cuál|cuánto|por qué) ",
        r"\b(?:me pregunto|dime (?:si|qué|cómo|dónde|cuándo))\b",
    ),
    hedges=either(
        r"\b(?:quizás?|tal vez|probablemente|posiblemente|a lo mejor|seguramente|supuestamente"
        r"|al parecer|creo|pienso que|supongo|imagino que|me parece|no estoy segur[oa]|no sé|ni idea"
        r"|quién sabe|podría|podríamos|debe de|puede que|puede ser|dicen que|parece|estoy pensando"
        r"|pensamos en|algún día|ojalá|espero|dudo)\b"
    ),
    supposes=either(
        r"\b(?:imagina|imagínate|imaginemos|supón|supongamos|suponiendo|finge|hagamos como"
        r"|digamos que|como si|por ejemplo|en (?:el|la|un|una|mi) (?:novela|libro|película|juego"
        r"|historia|cuento|sueño|artículo|canción)|juego de rol|(?:tú )?eres (?:un|una|mi)|según"
        r"|me gustaría|quisiera|sería|tendría|iría|viviría|haría|\w+aría|\w+ería|\w+iría|viviera"
        r"|fuera|tuviera)\b"
    ),
    conditions=either(r"^(?:\w+ )?(?:si|en caso de)\b", r", ?si "),
    jokes=either(
        (
            r"\b(?:broma|bromeando|bromeo|es broma|jaja+|jeje+|lol|ironía|sarcasmo|sí, claro|claro que no"
            r"|chiste)\b"
        ),
        r"[😂🤣😜😉]",
    ),
    once=either(
        (
            r"\b(?:solo|sólo|solamente|únicamente|nada más)? ?por (?:hoy|ahora|esta vez|una vez"
            r"|el momento)\b"
        ),
        r"\b(?:solo|sólo|solamente) (?:hoy|ahora|esta vez|para est[ae])\b",
        (
            r"\b(?:esta vez|hoy|ahora mismo|en este momento|esta (?:noche|mañana|tarde)|ayer"
            r"|para est[ae] (?:tarea|respuesta|texto|mensaje|caso|vez|pregunta)|otra vez)\b"
        ),
    ),
    passing=either(
        (
            r"(?:yo )?estoy(?: muy| tan| un poco| demasiado| super| bastante| ya| muy muy)* (?!casad"
            r"|divorciad|embarazad|jubilad|aprendiendo|estudiando|a dieta|comprometid|suscrit)"
        ),
        (
            r"(?:yo )?tengo (?:mucha |mucho |un poco de |tanta |una |un |que |algo de |muchas )*(?:hambre"
            r"|sed|frío|calor|sueño|miedo|prisa|pregunta|duda|problema|idea|reunión|dolor|fiebre|ganas"
            r"|razón|error|cita|suerte|que)\b"
        ),
        (
            r"(?:yo )?(?:quiero|quería|necesito|debo|puedo|voy a|sé|veo|entiendo|busco|intento|trato de"
            r"|vengo|acabo de|no (?:sé|entiendo|puedo|encuentro|veo|quiero|tengo tiempo)|me (?:muero"
            r"|siento|pregunto|duele|voy)|olvidé|perdí|te)\b"
        ),
        (
            r"(?:mi|mis|el|la|nuestro|nuestra) (?:[\w-]+ ){1,2}(?:está|están|estaba)(?: muy| tan| ya"
            r"| otra vez)* (?!en |casad|ubicad|basad|hech|escrit|jubilad|embarazad|alojad)"
        ),
        r"(?:mi|el|la) \w+ (?:no (?:funciona|va|anda)|me duele|se rompió|se cayó|fue (?:cancelad|genial))",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:traduc\w*|tradúce\w*|corrig\w*|corríge\w*|reescrib\w*|reformul\w*|resum\w*"
            rf"|resúme\w*|parafrase\w*|mejora (?:este|esta|el|mi)|completa (?:la|esta)|cómo se dice)\b"
        ),
        (
            rf"^{_POLITE}(?:escrib\w*|escríbe\w*|cuénta\w*|cuenta|inventa\w*"
            rf"|compón)\b.{{0,40}}\b(?:historia|cuento|poema|canción|chiste|diálogo|novela|escena|relato)\b"
        ),
        (
            r"\b(?:imagina que|imagínate que|supongamos|supón que|finge que|juego de rol|ejemplo ?:"
            r"|aquí (?:tienes|está) (?:un|el) (?:texto|ejemplo))"
        ),
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:escrib\w*|escríbe\w*|redact\w*|redácta\w*|prepara|envía)\b.{{0,60}}\b(?:e-?mail"
            rf"|correo|carta|mensaje|texto|frase|discurso|que (?:estoy|soy)|diciendo)\b"
        ),
        r"^(?:dile|diles)\b",
    ),
    refers=either(
        r"(?:y |pero )?(?:él|ella|ellos|ellas|eso|esto|aquello|ese|esa|este|esta|allí|ahí|lo|su|sus"
        r"|es (?:el|la|en|de|un|una|a las)|está en|se llama|tiene)\b"
    ),
    affirms=either(r"(?:sí|exacto|correcto|así es|no)\b"),
    trails=either(r"[,;–—-]+ ?(?:por favor|por cierto|gracias|tenlo en cuenta|recuérdalo)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            (
                rf"{_POLITE}(?:llámame|llámeme|me puedes llamar|puedes llamarme|dime) (?:simplement[eo] |sólo "
                rf"|solo )*(?P<thing>{_NAME})(?!.*\b(?:si|qué)\b)"
            ),
        ),
        preference(
            "address",
            8_900,
            "address.form",
            (
                rf"{_POLITE}(?:tutéame|tutéeme|trátame|háblame) (?:siempre )?(?:de|por)?\b.{{0,30}}(?:tú|usted"
                rf"|\b)"
            ),
            r"tutéame\b",
        ),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            (
                rf"{_POLITE}(?P<thing>(?:respond\w*|respónd\w*|contest\w*|contést\w*|escrib\w*|usa\w*"
                rf"|utiliza\w*|da\w*|muestr\w*|muéstra\w*|habla\w*|háblame|explica\w*|explíca\w*|pon\w*"
                rf"|añad\w*|agrega\w*|revis\w*|ejecut\w*|haz\w*|cita\w*|empieza|termina|sé"
                rf"|incluy\w*)\b.{{0,60}}\b(?:siempre|nunca|jamás|cada vez|a partir de ahora"
                rf"|de ahora en adelante|en adelante|por defecto|cada|todos los|todas las)\b.{{0,60}})"
            ),
            (
                r"(?:nunca|jamás) (?!he\b|había|vi\b|mejor|más|es tarde)(?P<thing>[a-záéíóú]+(?:es|as|an|en|e"
                r"|a|ar|er|ir)\b.{2,70})"
            ),
            r"siempre (?!he\b|me\b|quise|que\b|es\b|hay\b)(?P<thing>[a-záéíóú]+.{3,70})",
            (
                r"(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante|a partir de hoy"
                r"|en el futuro),? (?!yo\b|voy\b)(?P<thing>.{3,90})"
            ),
            (
                r"(?:en (?:este|nuestro|el) equipo,? )?(?:nosotros )?(?P<thing>(?:siempre|nunca) \w+(?:amos"
                r"|emos|imos)\b.{2,60})"
            ),
            (
                r"(?P<thing>(?:cada|todos los|todas las|todo|toda) [\w ]{2,30} (?:debe|deben|tiene que"
                r"|tienen que|necesita|necesitan)\b.{3,60})"
            ),
            (
                r"(?:cuando|cada vez que|siempre que) (?:yo |tú )?(?:te )?\w+ .{3,60}, (?:por favor "
                r"|siempre )*(?:responde|dame|muestra|usa|escribe|haz|pon)\b.{2,60}"
            ),
            r"quiero que (?P<thing>(?:siempre|nunca)\b.{3,60})",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:respond\w*|respónd\w*|contest\w*|contést\w*|habla\w*|háblame|escríbeme)(?: solo"
                rf"| solamente)? (?P<thing>(?:en|con) (?!una palabra|una frase).{{2,50}})"
            ),
            (
                rf"{_POLITE}(?:sé|sea) (?:más |siempre )?(?P<thing>(?:breve|concis[oa]|direct[oa]|formal"
                rf"|informal|educad[oa]).{{0,40}})"
            ),
            (
                rf"{_POLITE}(?:sin|no uses|evita|no utilices) (?P<thing>(?:emojis?|emoticonos|jerga"
                rf"|tecnicismos|anglicismos).{{0,40}})"
            ),
            (
                rf"{_POLITE}(?:usa|utiliza) (?P<thing>.{{0,30}}\b(?:métric\w+|celsius|24 horas|euros"
                rf"|kilómetros)\b.{{0,40}})"
            ),
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:yo )?(?:prefiero|preferimos) (?!(?:la|el) (?:primer|segund|tercer|últim)|est[ae]\b"
                r"|es[ae]\b|eso|tu\b|que\b|no\b)(?P<thing>.{2,70})"
            ),
            r"me gusta(?:n)? más (?P<thing>.{2,60})",
            r"(?:yo )?prefiero que (?:me |no |tú |usted )*(?P<thing>(?:respond|habl|us|escrib|trat|llam"
            r"|expli)\w+ .{2,60})",
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"(?:yo )?(?:odio|amo|adoro|detesto|aborrezco|no soporto|no aguanto) (?!es[oae]\b|est[oae]\b"
                r"|tu\b|que\b|lo\b)(?P<thing>.{2,50})"
            ),
            (
                r"(?:a mí )?(?:no )?me (?:encanta|gusta|fascina|disgusta|chifla)n?(?: mucho"
                r"| nada)* (?!es[oae]\b|est[oae]\b|tu\b|tus\b|la idea|cómo|que\b)(?P<thing>.{2,50})"
            ),
            r"(?:no )?soy (?:muy )?(?:fan|fanátic[oa]|aficionad[oa]) (?:de|a|al|del) (?P<thing>.{2,40})",
        ),
        preference(
            "likes", LIKELY, "favourite", r"mis? (?P<thing>[\w ]{2,30} (?:favorit|preferid)[oa]s?) (?:es|son)\b"
        ),
        fact(
            "first_person",
            SURE,
            (
                r"(?:yo )?(?:vivo (?:en|con|sol[oa]|desde|cerca)|me llamo|soy de|vengo de (?-i:[A-Z])|nací"
                r"|crecí en|trabajo (?:como|en|de|para|desde|por|los|a tiempo|con)|tengo \d{1,3} años"
                r"|hablo (?-i:[a-z])\w+(?:és|ol|án|no|so|ués|abe)\b)"
            ),
            (
                r"(?:yo )?soy(?: muy| también)* (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|intolerante"
                r"|diabétic[oa]|celíac[oa]|asmátic[oa]|casad[oa]|divorciad[oa]|viud[oa]|solter[oa]"
                r"|jubilad[oa]|zurd[oa]|daltónic[oa]|autónom[oa])\b"
            ),
            (
                r"(?:yo )?soy (?:una? )?(?:[\w-]+ )?(?:médic[oa]|enfermer[oa]|profesora?|maestr[oa]"
                r"|ingenier[oa]|abogad[oa]|estudiante|desarrolladora?|programadora?|panader[oa]|periodista"
                r"|arquitect[oa]|contadora?|cociner[oa]|diseñadora?|traductora?|farmacéutic[oa]|dentista"
                r"|veterinari[oa]|fontaner[oa]|electricista|músic[oa]|escritora?|investigadora?|camarer[oa]"
                r"|fotógraf[oa]|psicólog[oa]|consultora?|funcionari[oa]|bomber[oa])\b"
            ),
            (
                r"(?:yo )?(?:tengo|padezco|sufro)(?: de)? (?:una? )?(?:\w+ )?(?:alergia|diabetes|asma"
                r"|intolerancia|celiaquía|epilepsia|hipertensión|migrañas?)\b"
            ),
            r"(?:yo )?no (?:como|bebo|tomo|fumo|tolero) (?!nada|eso|esto|más|tanto|ahora|ningun)",
            (
                r"mi (?:cumpleaños|nombre|apellido|dirección|número|zona horaria|grupo sanguíneo|profesión"
                r"|correo|lengua materna|talla|aniversario|fecha de nacimiento) (?:es|cae)\b"
            ),
            r"(?:estoy|llevo) (?:casad[oa]|embarazad[oa]|divorciad[oa]|jubilad[oa])\b",
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"(?:yo )?tengo (?:una?|dos|tres|cuatro|cinco|\d+) (?:hij[oa]s?|herman[oa]s?|perr[oa]s?"
                r"|gat[oa]s?|caballos?|niet[oa]s?|gemel[oa]s|niñ[oa]s)\b"
            ),
            (
                rf"(?:mi|mis|nuestro|nuestra|nuestros|nuestras) (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:viven?"
                rf"|trabajan?|se llaman?|estudian?|viene de|habla|tienen? (?:\w+ años|\d|una?|dos|tres|cuatro"
                rf"|alergia|diabetes)|es (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|médic[oa]|enfermer[oa]"
                rf"|profesora?|abogad[oa]|ingenier[oa]|de|una? (?!poco|desastre)|(?-i:[A-Z])\w)|nació"
                rf"|está (?:embarazada|casad[oa]|jubilad[oa]))\b"
            ),
            (
                r"(?:yo )?(?:me mudé a|me casé|empecé a trabajar|empecé un|dejé de fumar|dejé de|estudié"
                r"|estudio \w+ en|me gradué|conduzco una?|llevo \w+ (?:años|meses)|aprendo .{2,30} desde"
                r"|toco (?:el|la) .{2,30}|tomo \d|voy al .{2,40} (?:todos los|cada|los (?:lunes|martes"
                r"|miércoles|jueves|viernes)))\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:nosotros )?(?:hemos |ya )?(?:decidimos|decidido|acordamos|acordado|elegimos|elegido"
                r"|migramos|migrado|cambiamos|cambiado|reemplazamos|adoptamos|actualizamos|actualizado"
                r"|dejamos de)\b"
            ),
            r"(?:nosotros )?(?:usamos|utilizamos|trabajamos con|desplegamos|tenemos \d|somos \d)\b",
            (
                r"nuestr[oa]s? (?:[\w'-]+ ){1,4}?(?:es|son|usa|usan|corre|se llama|tiene|tienen|está en"
                r"|funciona)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"(?:mi|mis) (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:es|tienen?|dice|dijo|me dijo|odia|ama"
                rf"|le gusta|hace|va|juega|no come|come|conduce|toma|son|fue|no)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:mis?|nuestr[oa]s?) (?:[\w'/.-]+ ){1,4}?(?:dura|duran|empieza|empiezan|comienza|termina|abre"
                r"|abren|cierra|cierran|cuesta|se reúne|queda|paga|incluye|pertenece)\b"
            ),
            (
                r"(?!mis? (?:[\w'-]+ ){1,3}?(?:es|son) (?:(?:muy|casi|ya|todavía|tan"
                r"|demasiado) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:mi|mis) (?:[\w'-]+ ){1,5}?(?:es|son|tiene"
                r"|tienen|se llama|vence|caduca|empieza|termina|cuesta|sale|está en)\b"
            ),
            (
                r"(?:yo )?(?:uso|utilizo|juego|colecciono|practico|conduzco|aprendo|estudio|corro|nado"
                r"|me levanto|me acuesto|compré (?:una casa|un piso|un coche|una moto)|adopté|mido|peso|toco"
                r"|estoy (?:aprendiendo|estudiando)|llevo|trabajo|vivo (?:con|en|sol[oa]|cerca)|tengo)\b.{3,}"
            ),
            r"soy .{2,40}\bdesde\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:el|la|los|las) (?:[\w'/.-]+ ){1,6}?(?:es|son|se llama|empieza|termina|vence|escucha"
                r"|corre|cuesta|está en|queda)\b(?=.*(?:\d|se llama))(?!.*\bcapital\b)"
            ),
            (
                rf"(?!(?:El|La|Los|Las|Un|Una|Mi|Mis|Tu|Su|Eso|Esto|Ese|Esa|Este|Esta|Yo|Si|Qué|Quién|Hay|No"
                rf"|Hoy)\b){_NAME} (?:vive|trabaja|dirige|lidera|es (?:mi|nuestr[oa])|reemplaza|se mudó"
                rf"|lleva)\b"
            ),
        ),
    ),
)
