"""French."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:mère|père|maman|papa|parents|frères?|sœurs?|soeurs?|fils|filles?|enfants?|femme|mari"
    r"|conjointe?|compagne|compagnon|copine|copain|fiancée?|oncle|tante|cousine?|neveu|nièce"
    r"|grand-mère|grand-père|belle-mère|beau-père|chefs?|patronne?|manager|collègue|voisine?"
    r"|coloc|propriétaire|amie?|chiene?|chienne|chien|chatte?|chat|cheval|médecin|dentiste|équipe)"
)
_POLITE = r"(?:s'il (?:te|vous) plaît,? |stp |merci de |peux-tu |pouvez-vous |pourrais-tu )*"
_NAME = r"(?-i:[A-ZÀ-Ý])[\w'-]+"

FRENCH = Language(
    code="fr",
    markers=words(
        "habite travaille n'utilise d'emojis utilise je j'ai j'habite j'aime j'adore suis mon ma mes "
        "nous notre nos est sont le la les un une des du de et ou ne pas au aux avec pour depuis "
        "dans chez sur s'il te vous tu me moi toujours jamais que qui quel quelle c'est il elle ans "
        "merci si peut-être réponds j'étudie n'aime l'ai d'une c'était être avons a dis"
    ),
    openers=either(
        r"(?:(?:et|mais|alors|donc|au fait|d'ailleurs|salut|bonjour|oui|ok|bon|ah|oh|pour info|sinon"
        r"|merci|car)(?:[,:;!.–-]+ ?| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:et|mais|car|parce que|donc|alors|puisque) )?", r" (?:[–—-]+|et|mais|car) "),
    reminds=either(
        _POLITE
        + (
            r"(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|n'oublie pas"
            r"|n'oubliez pas|note bien|note|notez|garde en tête|garde à l'esprit|pour rappel"
            r"|sache)(?: bien)?(?:,? que | qu'| ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:non|ah|pardon|désolée?),? )*(?:en fait|en réalité|correction|je voulais dire|plutôt"
            r"|je me suis trompée?|rectification)[,: ]* ?"
        ),
        r"(?:non|pardon)[,:] (?=(?:le|la|les|mon|ma|c'est|notre)\b)",
    ),
    negates=either(r",? (?:et )?(?:non |pas |plus )(?!sûre?|mal|encore|toujours)[\w'-]+", r"\bau lieu d"),
    states=either(
        r"\b(?:est|sont|était|a|ont|utilise|utilisons|s'appelle|habite|commence|finit|coûte|expire"
        r"|tourne|écoute|se trouve|passe|va|vont|a changé|doit|c'est|part)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        r"^(?:et |mais )?(?:est-ce que|qu'est-ce|quelle?s?|qui|où|quand|pourquoi|comment|combien) ",
        r"^(?:peux|pouvez|pourrais|sais|as|es|veux|dois)-?(?:tu|vous|je)\b",
        r"\b(?:je me demande|dis-moi (?:si|ce|comment|où|quand))\b",
    ),
    hedges=either(
        r"\b(?:peut-être|probablement|sans doute|éventuellement|apparemment|je crois|je pense"
        r"|je suppose|j'imagine|il me semble|pas sûre?|pas certaine?|aucune idée|qui sait|il paraît"
        r"|semble|pourrait|pourrais|devrait|j'hésite|j'envisage|je compte|un jour|je doute|on dirait"
        r"|à ce qu'on dit|j'espère|si je me souviens)\b"
    ),
    supposes=either(
        r"\b(?:imagine|imaginons|imaginez|suppose|supposons|supposez|fais comme si|faisons comme"
        r"|disons que|comme si|par exemple|dans (?:le|la|ce|cette|un|une|mon) (?:roman|livre|film|jeu"
        r"|histoire|rêve|article|chanson)|jeu de rôle|tu es (?:un|une|mon|ma)|selon|d'après"
        r"|j'aimerais|je voudrais|serais|aurais|ferais|irais|prendrais|vivrais|habiterais|\w+erais)\b"
    ),
    conditions=either(r"^(?:\w+ )?(?:si|s'il|au cas où)\b", r", ?(?:si|s'il) "),
    jokes=either(
        r"\b(?:je plaisante|je rigole|blague|haha+|mdr|lol|ptdr|ironie|ben voyons|bien sûr que non)\b", r"[😂🤣😜😉]"
    ),
    once=either(
        (
            r"\b(?:juste|seulement|uniquement|rien que)? ?pour (?:aujourd'hui|cette fois|celui-ci"
            r"|celle-ci|ce (?:message|texte|cas)|cette (?:réponse|question|tâche)|l'instant|le moment)\b"
        ),
        (
            r"\b(?:cette fois|aujourd'hui|ce soir|ce matin|en ce moment|tout à l'heure|demain|hier"
            r"|pour une fois|maintenant|là tout de suite|encore une fois)\b"
        ),
    ),
    passing=either(
        (
            r"je (?:suis|me sens|étais)(?: très| trop| vraiment| un peu| tellement| si| encore| déjà"
            r"| super)* (?:fatiguée?|contente?|heureux|heureuse|triste|désolée?|malade|prête?|perdue?"
            r"|occupée?|en (?:train|retard|réunion|route|colère)|là|ici|curieux|curieuse|stressée?"
            r"|énervée?|morte?|crevée?|épuisée?|sûre?|d'accord|ravie?|déçue?|surprise?|impressionnée?"
            r"|à (?:la maison|table)|dans|de retour|bloquée?)\b"
        ),
        (
            r"j'ai (?:très |trop |tellement |encore |un peu |une |un |plus |pas |juste |si )*(?:faim|soif"
            r"|froid|chaud|sommeil|peur|mal|besoin|envie|question|problème|idée|rendez-vous|réunion"
            r"|fièvre|bug|erreur|hâte|raison|tort|oublié|perdu|vu|essayé|demandé|compris|trouvé|dit"
            r"|rhume)\b"
        ),
        (
            r"je (?:veux|voulais|dois|peux|vais|sais|vois|comprends|cherche|cherchais|essaie|espère"
            r"|viens de|ne (?:sais|comprends|peux|trouve|vois)|te|vous|meurs|me demande)\b"
        ),
        (
            r"(?:mon|ma|mes|le|la|les|notre) (?:[\w-]+ ){1,2}(?:est|sont|était)(?: très| trop| vraiment"
            r"| encore| tout| si)* (?:cassée?|en panne|morte?|vide|lente?|là|super|génial\w*|nulle?|belle"
            r"|beau|bonne?|mauvaise?|en retard|fatiguée?|malade|tombée?|annulée?|terminée?|prête?|drôle"
            r"|hors ligne)\b"
        ),
        r"(?:mon|ma) \w+ (?:ne (?:marche|fonctionne)|me fait mal|plante|bugue)\b",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:tradui\w*|corrige\w*|réécri\w*|reformul\w*|résum\w*|relis|relisez|paraphras\w*"
            rf"|améliore|complète (?:cette|la)|comment (?:dit-on|dire))\b"
        ),
        (
            rf"^{_POLITE}(?:écri\w*|racont\w*|invent\w*|compose\w*)\b.{{0,40}}\b(?:histoire|poème|chanson"
            rf"|blague|conte|dialogue|roman|scène)\b"
        ),
        (
            r"\b(?:imagine que|imaginons|supposons|faisons comme si|fais comme si|jeu de rôle|exemple ?:"
            r"|voici un (?:texte|exemple))"
        ),
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:écri\w*|rédig\w*|prépare|envoie|compose)\b.{{0,60}}\b(?:e-?mail|mail|lettre"
            rf"|message|texte|phrase|discours|que je|disant)\b"
        ),
        r"^dis(?:-lui|-leur| à)\b",
    ),
    refers=either(
        r"(?:et |mais )?(?:il|elle|ils|elles|ça|cela|ceci|ce|c'est|c'était|là-bas|celui-ci|celle-ci"
        r"|son|sa|ses|leur|leurs)\b(?! (?:mon|ma))"
    ),
    affirms=either(r"(?:oui|exactement|c'est ça|non|si)\b"),
    trails=either(r"[,;–—-]+ ?(?:s'il (?:te|vous) plaît|au fait|merci|retiens-le|n'oublie pas)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            rf"{_POLITE}(?:appelle|appelez)-moi (?:simplement |juste |plutôt )*(?P<thing>{_NAME})",
        ),
        preference(
            "address",
            8_900,
            "address.form",
            rf"{_POLITE}(?:tutoie|tutoyez|vouvoie|vouvoyez)-moi\b",
            r"on (?:peut|va) se (?:tutoyer|vouvoyer)",
        ),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            (
                rf"{_POLITE}(?P<thing>(?:répon\w+|écri\w+|utilis\w+|donne\w*|montre\w*|parl\w+|explique\w*"
                rf"|met\w*|ajoute\w*|vérifie\w*|lance\w*|fai\w+|cite\w*|commence\w*|termine\w*|sois"
                rf"|reste)\b.{{0,60}}\b(?:toujours|systématiquement|jamais|à chaque fois|dorénavant|désormais"
                rf"|à l'avenir|par défaut|chaque|tous? les|toutes les)\b.{{0,60}})"
            ),
            r"ne (?P<thing>\w+(?:-\w+)? jamais .{3,70})",
            r"(?:toujours|jamais) (?!vu|été|de la vie)(?P<thing>.{4,80})",
            (
                r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir"
                r"|à partir d'aujourd'hui),? (?!je)(?P<thing>.{3,90})"
            ),
            r"(?:nous|on|dans (?:notre|l')\s?équipe,? (?:nous|on)) (?:ne )?(?P<thing>\w+ (?:toujours"
            r"|jamais)\b.{3,70})",
            r"(?P<thing>(?:chaque|tous les|toutes les) [\w -]{2,30} (?:doit|doivent|faut)\b.{3,60})",
            (
                r"(?:quand|lorsque|chaque fois que|si) (?:je|tu) .{3,60}, (?:toujours )?(?:réponds|donne"
                r"|montre|utilise|écris|fais)\b.{2,60}"
            ),
            r"je (?:veux|souhaite) que tu (?P<thing>.{0,20}\b(?:toujours|jamais)\b.{2,60})",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:répon\w+|parl\w+|écri\w+)(?:-moi|-nous)?(?: uniquement"
                rf"| seulement)? (?P<thing>(?:en|avec) (?!un mot|une phrase).{{2,50}})"
            ),
            (
                rf"{_POLITE}(?:sois|soyez|reste) (?:plus |toujours )?(?P<thing>(?:brève?|concise?|bref"
                rf"|directe?|formelle?|formel|polie?|informel).{{0,40}})"
            ),
            (
                rf"{_POLITE}(?:pas d'|n'utilise pas d'|n'utilise jamais d'|évite les "
                rf"|sans )(?P<thing>(?:émojis?|emojis?|jargon|anglicismes).{{0,40}})"
            ),
            rf"{_POLITE}utilise[zr]? (?P<thing>.{{0,30}}\b(?:métrique|celsius|24 heures|euros"
            rf"|kilomètres)\b.{{0,40}})",
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:je|nous) (?:préfère|préférons|préférerais) (?!la (?:première|deuxième|seconde)"
                r"|le (?:premier|deuxième|second)|ça|celui|celle|cette?|ton|ta)(?P<thing>.{2,70})"
            ),
            r"j'aime(?:rais)? (?:mieux|bien) (?:que (?:tu|vous) )?(?P<thing>.{2,60})",
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"(?:j'aime|j'adore|je déteste|je n'aime pas|j'ai horreur d|je ne supporte pas|je hais"
                r"|je raffole d|j'apprécie)(?: beaucoup| bien| vraiment| pas du tout| trop"
                r"| plus que tout)*(?:e |es |u | )(?!ça\b|cela\b|cette?\b|ce \b|ton\b|ta\b|tes\b|votre|l'idée"
                r"|bien ça|quand)(?P<thing>.{2,50})"
            ),
            r"je suis (?:un |une )?(?:grande? )?fan d[eu]s? (?P<thing>.{2,40})",
        ),
        preference(
            "likes", LIKELY, "favourite", r"(?:mon|ma|mes) (?P<thing>[\w -]{2,30} préférée?s?) (?:est|sont|c'est)\b"
        ),
        fact(
            "first_person",
            SURE,
            (
                r"(?:j'habite|je vis|je m'appelle|je me nomme|je viens d[eu']|je suis née?|je suis originaire"
                r"|j'ai grandi|je travaille (?:comme|chez|à|au|en|dans|pour|de|depuis|le|la nuit)"
                r"|j'ai \d{1,3} ans|je parle (?!trop|de|à|avec|pas))(?:\b|(?<='))"
            ),
            (
                r"je suis(?: aussi| très| gravement| légèrement| devenue?| strictement)* (?:allergique"
                r"|végétarien(?:ne)?|végane?|vegan|intolérante?|diabétique|cœliaque|asthmatique|enceinte"
                r"|mariée?|divorcée?|veuve?|célibataire|retraitée?|gauch(?:er|ère)|daltonien(?:ne)?"
                r"|pescétarien(?:ne)?)\b"
            ),
            (
                r"je suis (?:une? )?(?:[\w-]+ )?(?:médecin|infirmi(?:er|ère)|professeure?|prof|ingénieure?"
                r"|avocate?|étudiante?|développeu(?:r|se)|boulang(?:er|ère)|journaliste|architecte|comptable"
                r"|cuisini(?:er|ère)|graphiste|traduct(?:eur|rice)|pharmacien(?:ne)?|dentiste|vétérinaire"
                r"|plombier|électricien(?:ne)?|musicien(?:ne)?|écrivaine?|chercheu(?:r|se)|enseignante?"
                r"|instit\w*|fonctionnaire|photographe|designer|consultante?|chef de projet|sage-femme)\b"
            ),
            (
                r"(?:j'ai|je souffre d[eu']) ?(?:une |un |du |de l'|le )?(?:[\w-]+ )?(?:allergie|diabète"
                r"|asthme|intolérance|maladie cœliaque|épilepsie|hypertension|migraines?)\b"
            ),
            r"je ne (?:mange|bois|fume|supporte|digère) (?:pas|plus|jamais) (?!ça|cela|encore|maintenant|trop|assez)",
            (
                r"mon (?:anniversaire|nom|prénom|adresse|numéro|fuseau horaire|groupe sanguin|métier|e-mail"
                r"|employeur) est\b"
            ),
            r"ma (?:pointure|langue maternelle|date de naissance|ville natale|nationalité) est\b",
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"j'ai (?:une?|deux|trois|quatre|cinq|\d+) (?:petite? |grande? )?(?:enfants?|fils|filles?"
                r"|frères?|sœurs?|chiens?|chats?|chevaux|jumeaux|chatte|chienne)\b"
            ),
            (
                rf"(?:mon|ma|mes|notre|nos) (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:habite|habitent|vit|vivent"
                rf"|travaille|travaillent|s'appelle|s'appellent|étudie|vient d|parle|a (?:\d|une?|deux|trois"
                rf"|quatre|cinq|six|sept|huit|neuf|dix|\w+ ans)|est (?:allergique|végétarien\w*|née?|médecin"
                rf"|professeure?|infirmi\w+|avocate?|ingénieure?|enceinte|mariée?|retraitée?|une? (?!peu)"
                rf"|(?-i:[A-Z])))(?:\b|(?<='))"
            ),
            (
                r"(?:j'ai déménagé|je me suis installée?|j'étudie|j'ai étudié|j'ai arrêté de"
                r"|je me suis mariée?|j'ai commencé (?:un|une|mon|à)|je conduis une?|je joue (?:du|de la"
                r"|au) .{2,30} depuis|j'apprends .{2,40} depuis|je prends \d|je vais .{2,40} (?:tous les"
                r"|chaque|le (?:lundi|mardi|mercredi|jeudi|vendredi)))\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:nous avons|on a) (?:finalement |tous )?(?:décidé|choisi|convenu|migré|remplacé|adopté"
                r"|abandonné|opté|mis à jour|déplacé|changé)\b"
            ),
            (
                r"(?:nous utilisons|on utilise|nous avons \d|nous sommes \d|nous travaillons|nous hébergeons"
                r"|nous déployons)\b"
            ),
            (
                r"(?:notre|nos) (?:[\w'-]+ ){1,4}?(?:est|sont|utilise|utilisent|tourne|tournent|s'appelle|a"
                r"|ont)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"(?:mon|ma|mes) (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:est|a|dit|m'a dit|aime|déteste|adore"
                rf"|fait|va|joue|n'aime|ne mange|mange|conduit|prend|possède|sont|ont)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:mon|ma|mes|notre|nos) (?:[\w'/.-]+ ){1,4}?(?:dure|durent|commence|commencent|finit"
                r"|finissent|ouvre|ouvrent|ferme|ferment|coûte|coûtent|se réunit|se trouve|paie|comprend"
                r"|appartient)\b"
            ),
            (
                r"(?!(?:mon|ma|mes) (?:[\w'-]+ ){1,3}?(?:est|sont) (?:(?:très|trop|presque|encore|déjà|tout"
                r"|si) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:mon|ma|mes) (?:[\w'-]+ ){1,5}?(?:est|sont|a|ont"
                r"|s'appelle|expire|commence|finit|coûte|part|se trouve|décolle)\b"
            ),
            (
                r"(?:j'utilise|je possède|je joue|je collectionne|je pratique|je conduis|j'apprends|je cours"
                r"|je nage|je me lève|je me couche|j'ai adopté|je fais (?:du|de la|de l'|partie)"
                r"|je suis (?:depuis|en \w+ année)|je porte|je mesure|je pèse|je travaille)\b.{3,}"
            ),
            (
                r"(?:je fais|je prends|je vais|j'ai acheté) (?=.*\b(?:tous|toutes|chaque|depuis|souvent|toujours"
                r"|maison|appartement|voiture|vélo|(?:le|les) (?:lundi|mardi|mercredi|jeudi|vendredi|samedi"
                r"|dimanche)s?|\d+)\b).{3,}"
            ),
            r"je suis .{2,40}\bdepuis\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:le|la|les|l') ?(?:[\w'/.-]+ ){1,6}?(?:est|sont|s'appelle|commence|finit|expire|écoute"
                r"|tourne|coûte|se trouve)\b(?=.*(?:\d|s'appelle|(?-i:[A-Z])\w+-?\d))(?!.*\bcapitale\b)"
            ),
            (
                rf"(?!(?:Le|La|Les|Il|Elle|Ce|Cela|Je|Tu|Nous|Vous|On|Qui|Que|Quel\w*|Si|Un|Une|Mon|Ma"
                rf"|Mes)\b){_NAME} (?:habite|travaille|dirige|gère|est (?:mon|ma|notre|responsable)|remplace"
                rf"|a déménagé)\b"
            ),
        ),
    ),
)
