"""Italian."""

from palyra.domain.learning.rules.language import FAIR, FIRM, LIKELY, SURE, Language, either, fact, preference, words

_KIN = (
    r"(?:madre|padre|mamma|papà|genitori|fratell[oi]|sorell[ae]|figli[oae]?|moglie|marito"
    r"|compagn[oa]|ragazz[oa]|fidanzat[oa]|zi[oa]|cugin[oaie]|nipot[ei]|nonn[oai]|suocer[oa]"
    r"|cognat[oa]|capo|collega|vicin[oa]|coinquilin[oa]|padrone di casa|amic[oaih]+|cane|cani"
    r"|gatt[oaie]|cavallo|medico|dottoressa|dentista|squadra|team)"
)
_MY = r"(?:(?:il|la|i|le|lo) )?(?:mio|mia|miei|mie|nostro|nostra|nostri|nostre)"
_POLITE = r"(?:per favore,? |per piacere,? |puoi |potresti )*"
_NAME = r"(?-i:[A-ZÀÈÉÌÒÙ])[\w'-]+"

ITALIAN = Language(
    code="it",
    markers=words(
        "mangio bevo parlo uso suono io sono ho mio mia miei mie nostro nostra noi è il lo la gli i "
        "le un una uno di del della dei e o non in con per da dal che chi come quando dove quanto si "
        "mi ti tuo tua molto sempre mai abbiamo vivo abito lavoro chiamo anni grazie forse usa "
        "usiamo dammi tu ha preferisco odio rispondi rispondimi chiamami al alle ai se credo immagina traduci "
        "solo oggi porta realtà a fa mille ore"
    ),
    openers=either(
        r"(?:(?:e|ma|allora|beh|comunque|a proposito|ciao|sì|ok|ah|inoltre|grazie"
        r"|perché)(?:[,:;!.–-]+ ?| )){1,3}"
    ),
    clause=either(r"[,;:] ?(?:(?:e|ma|perché|quindi|poiché) )?", r" (?:[–—-]+|e|ma|perché) "),
    reminds=either(
        _POLITE
        + (
            r"(?:ricorda|ricordati|ricordi|tieni presente|tieni a mente|non dimenticare|annota"
            r"|prendi nota|sappi|per tua informazione)(?:,? che | ?: ?|, )"
        )
    ),
    corrects=either(
        (
            r"(?:(?:no|ah|scusa|scusi),? )*(?:in realtà|correzione|volevo dire|intendevo|anzi"
            r"|mi sono sbagliat[oa]|per la precisione)[,:]? ?"
        ),
        r"(?:no|scusa)[,:] (?=(?:il|la|mio|mia|è)\b)",
    ),
    negates=either(r",? (?:e )?non (?!so|sono|credo)[\w'-]+", r"\binvece (?:di|che)\b", r"\bnon più\b"),
    states=either(
        r"\b(?:è|sono|era|ha|hanno|usa|usano|usiamo|si chiama|vive|abita|inizia|finisce|costa|scade"
        r"|gira|ascolta|si trova|va|vanno|è cambiat[oa]|deve|parte|funziona)\b"
    ),
    asks=either(
        r"[?？]\W*$",
        (
            r"^(?:e |ma )?(?:che|chi|come|quando|dove|quale|quali|quanto|quanti|perché|cosa"
            r"|che cosa) (?:è|sono|ore|posso|devo|si|fai|hai|ho|sta)\b"
        ),
        r"^(?:puoi|potresti|sai|dovrei|devo|hai)\b.*\b(?:dirmi|se)\b",
        r"\b(?:mi chiedo|dimmi (?:se|cosa|come|dove|quando))\b",
    ),
    hedges=either(
        r"\b(?:forse|probabilmente|magari|può darsi|eventualmente|a quanto pare|credo|penso|suppongo"
        r"|immagino che|mi sembra|sembra|pare|non sono sicur[oa]|non so|boh|chissà|potrebbe|potrei"
        r"|potremmo|dovrebbe|dicono che|sto pensando|stiamo pensando|un giorno|spero|dubito|presumo)\b"
    ),
    supposes=either(
        r"\b(?:immagina|immaginiamo|immagini|supponi|supponiamo|fingi|facciamo finta|fai finta"
        r"|diciamo che|come se|per esempio|ad esempio|nel (?:romanzo|libro|film|gioco|racconto|sogno)"
        r"|nella (?:storia|canzone)|gioco di ruolo|(?:tu )?sei (?:un|una|il mio|la mia)|secondo"
        r"|vorrei|sarei|avrei|farei|andrei|vivrei|abiterei|\w+erei|vivessi|fossi|avessi|sia un"
        r"|sia una)\b"
    ),
    conditions=either(r"^(?:\w+ )?(?:se|qualora)\b", r", ?se "),
    jokes=either(
        (
            r"\b(?:scherzo|scherzavo|scherzando|per scherzo|barzelletta|haha+|ahah+|lol|ironia|sì, certo"
            r"|come no)\b"
        ),
        r"[😂🤣😜😉]",
    ),
    once=either(
        (
            r"\b(?:solo|soltanto|solamente) (?:per )?(?:oggi|ora|adesso|questa volta|stavolta|quest[oa]"
            r"|una volta)\b"
        ),
        (
            r"\b(?:stavolta|questa volta|per ora|per oggi|oggi|in questo momento|proprio ora|stasera"
            r"|stamattina|ieri|per quest[oa] (?:compito|risposta|testo|messaggio|caso)|di nuovo)\b"
        ),
    ),
    passing=either(
        (
            r"(?:io )?(?:sono|ero|mi sento)(?: molto| così| un po'| troppo| davvero| già"
            r"| ancora)* (?:stanc[oa]|felice|content[oa]|triste|arrabbiat[oa]|malat[oa]|pront[oa]"
            r"|pers[oa]|occupat[oa]|qui|in (?:ritardo|riunione|viaggio)|a casa|curios[oa]|stressat[oa]"
            r"|mort[oa]|confus[oa]|sicur[oa]|d'accordo|sorpres[oa]|annoiat[oa]|affamat[oa]|di (?:fretta"
            r"|ritorno))\b"
        ),
        (
            r"(?:io )?ho (?:molta |molto |tanta |un po' di |una |un |solo |già |troppa )*(?:fame|sete"
            r"|freddo|caldo|sonno|paura|fretta|domanda|dubbio|problema|idea|riunione|mal|febbre|voglia"
            r"|ragione|errore|appuntamento|bisogno|dimenticato|perso|visto|provato|capito|trovato|detto)\b"
        ),
        (
            r"(?:io )?(?:voglio|devo|posso|so|vedo|capisco|cerco|provo|vado|vengo|sto (?!studiando"
            r"|imparando)|non (?:so|capisco|posso|riesco|trovo|voglio)|ti|vi)\b"
        ),
        (
            r"(?:(?:il|la) )?(?:mio|mia|nostro|nostra|il|la) (?:[\w-]+ ){1,2}(?:è|sono|era)(?: molto"
            r"| così| già| di nuovo)* (?:rott[oa]|mort[oa]|scaric[oa]|lent[oa]|qui|fantastic[oa]|bell[oa]"
            r"|buon[oa]|brutt[oa]|in ritardo|stanc[oa]|malat[oa]|annullat[oa]|finit[oa]|pront[oa]|offline"
            r"|giù|bloccat[oa])\b"
        ),
        r"(?:(?:il|la) )?(?:mio|mia) \w+ (?:non funziona|fa male|mi fa male)\b",
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:tradu\w*|corregg\w*|riscriv\w*|riformul\w*|riassum\w*|parafras\w*"
            rf"|migliora (?:questo|questa|il)|completa (?:la|questa)|come si dice)\b"
        ),
        (
            rf"^{_POLITE}(?:scriv\w*|racconta\w*|inventa\w*|componi)\b.{{0,40}}\b(?:storia|racconto|poesia"
            rf"|canzone|barzelletta|dialogo|romanzo|scena|favola)\b"
        ),
        (
            r"\b(?:immagina che|immaginiamo|supponiamo|fai finta|facciamo finta|gioco di ruolo|esempio ?:"
            r"|ecco un (?:testo|esempio))"
        ),
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:scriv\w*|redig\w*|prepara|invia|manda)\b.{{0,60}}\b(?:e-?mail|mail|lettera"
            rf"|messaggio|testo|frase|discorso|che sono|dicendo)\b"
        ),
        r"^(?:digli|dille|di' a)\b",
    ),
    refers=either(
        r"(?:e |ma )?(?:lui|lei|loro|esso|essa|ciò|questo|questa|quello|quella|lì|là|suo|sua|è (?:il"
        r"|la|in|un|una|alle|a)|si trova|si chiama|ha)\b"
    ),
    affirms=either(r"(?:sì|esatto|giusto|proprio così|no)\b"),
    trails=either(r"[,;–—-]+ ?(?:per favore|a proposito|grazie|tienilo a mente)[.!]*$"),
    rules=(
        preference(
            "address",
            9_100,
            "address.name",
            (
                rf"{_POLITE}(?:chiamami|mi chiami|puoi chiamarmi) (?:pure |solo "
                rf"|semplicemente )?(?P<thing>{_NAME})"
            ),
        ),
        preference(
            "address",
            8_900,
            "address.form",
            rf"{_POLITE}(?:dammi|diamoci|mi dia) (?:sempre )?(?:del|il) (?P<thing>tu|lei)\b",
        ),
        preference(
            "standing_instruction",
            8_900,
            "rule",
            (
                rf"{_POLITE}(?P<thing>(?:rispond\w*|scriv\w*|us[ai]\w*|utilizz\w*|d[aà]mmi|mostra\w*|parla\w*"
                rf"|spiega\w*|metti|aggiung\w*|controll\w*|esegu\w*|fai|cita|inizia|termina|sii|includ\w*"
                rf"|lancia)\b.{{0,60}}\b(?:sempre|mai|ogni volta|d'ora in poi|da ora in poi|in futuro"
                rf"|di default|ogni|tutti i|tutte le)\b.{{0,60}})"
            ),
            r"non (?P<thing>\w+(?:are|ere|ire|r\w+) mai .{3,70})",
            r"mai (?!visto|più|stat[oa]|dire mai)(?P<thing>\w+.{3,70})",
            r"sempre (?!stat[oa]|che\b|più|voluto)(?P<thing>\w+.{3,70})",
            r"(?:d'ora in poi|da ora in poi|da oggi in poi|in futuro|d'ora in avanti),? (?!io\b)(?P<thing>.{3,90})",
            r"(?:nel nostro team,? )?(?:noi )?(?:non )?(?P<thing>\w+(?:amo|iamo) (?:sempre|mai)\b.{2,60})",
            r"(?P<thing>(?:ogni|tutti i|tutte le) [\w ]{2,30} (?:deve|devono|richiede|bisogna)\b.{3,60})",
            (
                r"(?:quando|ogni volta che) (?:io )?(?:ti )?\w+ .{3,60}, (?:per favore |sempre )*(?:rispondi"
                r"|dammi|mostra|usa|scrivi|fai)\b.{2,60}"
            ),
            r"voglio che (?:tu )?(?P<thing>.{0,16}\b(?:sempre|mai)\b.{2,60})",
        ),
        preference(
            "answer_form",
            8_600,
            "answer",
            (
                rf"{_POLITE}(?:rispond\w*|parla\w*|scrivimi)(?: con me)?(?: solo)? (?P<thing>(?:in"
                rf"|con) (?!una parola|una frase).{{2,50}})"
            ),
            (
                rf"{_POLITE}sii (?:più |sempre )?(?P<thing>(?:breve|concis[oa]|dirett[oa]|formale|informale"
                rf"|educat[oa]).{{0,40}})"
            ),
            rf"{_POLITE}(?:senza|non usare|evita|niente) (?P<thing>(?:emoji|faccine|gergo|anglicismi).{{0,40}})",
            rf"{_POLITE}(?:usa|utilizza) (?P<thing>.{{0,30}}\b(?:metric\w+|celsius|24 ore|euro"
            rf"|chilometri)\b.{{0,40}})",
        ),
        preference(
            "likes",
            LIKELY,
            "prefer",
            (
                r"(?:io )?(?:preferisco|preferiamo) (?!(?:la|il) (?:prim|second|terz|ultim)|quest[oa]\b"
                r"|quell[oa]\b|il tuo|la tua|che\b|non\b)(?P<thing>.{2,70})"
            ),
            r"mi piac(?:e|ciono) di più (?P<thing>.{2,60})",
            r"(?:io )?preferisco che (?:tu |mi |non |lei )*(?P<thing>(?:rispond|parl|us|scriv|chiam"
            r"|spiegh)\w+ .{2,60})",
        ),
        preference(
            "likes",
            LIKELY,
            "like",
            (
                r"(?:io )?(?:odio|amo|adoro|detesto|non sopporto) (?!quest[oae]\b|quell[oae]\b|il tuo|la tua"
                r"|che\b|quando|ciò)(?P<thing>.{2,50})"
            ),
            (
                r"(?:a me )?(?:non )?mi piac(?:e|ciono)(?: molto| tanto| per niente"
                r"| proprio)* (?!quest[oae]\b|quell[oae]\b|il tuo|la tua|l'idea|come|che\b)(?P<thing>.{2,50})"
            ),
            (
                r"(?:non )?sono (?:un |una )?(?:grande )?(?:fan|appassionat[oa]"
                r"|amante) d\w* (?P<thing>.{2,40})"
            ),
        ),
        preference(
            "likes", LIKELY, "favourite", rf"{_MY} (?P<thing>[\w ]{{2,30}} (?:preferit|favorit)[oaie]) (?:è|sono)\b"
        ),
        fact(
            "first_person",
            SURE,
            r"(?:io )?(?:vivo|abito) (?:a|ad|in|con|da|vicino|nel|nella)\b",
            (
                r"(?:io )?(?:mi chiamo|sono di (?-i:[A-Z])|vengo da|vengo dal\w*|sono nat[oa]"
                r"|sono cresciut[oa]|lavoro (?:come|a|ad|in|per|da|dal|presso|nel|nella|part|il|di notte|con)"
                r"|ho \d{1,3} anni|parlo (?:italiano|inglese|francese|tedesco|spagnolo|russo|cinese))"
            ),
            (
                r"(?:io )?sono(?: molto| anche| gravemente)* (?:allergic[oa]|vegetarian[oa]|vegan[oa]"
                r"|intollerante|diabetic[oa]|celiac[oa]|asmatic[oa]|incinta|sposat[oa]|divorziat[oa]"
                r"|vedov[oa]|single|pensionat[oa]|in pensione|mancin[oa]|daltonic[oa])\b"
            ),
            (
                r"(?:io )?(?:sono|faccio) (?:una? |l'|il |la )?(?:[\w-]+ )?(?:medico|dottoressa|infermier[ea]"
                r"|professore|professoressa|insegnante|maestr[oa]|ingegnere|avvocat[oa]|studente|studentessa"
                r"|sviluppat(?:ore|rice)|programmat(?:ore|rice)|panettiere|fornai[oa]|giornalista"
                r"|architett[oa]|contabile|cuoc[oa]|grafic[oa]|tradutt(?:ore|rice)|farmacista|dentista"
                r"|veterinari[oa]|idraulico|elettricista|musicista|scritt(?:ore|rice)|ricercat(?:ore|rice)"
                r"|fotograf[oa]|psicolog[oa]|consulente)\b"
            ),
            (
                r"(?:io )?(?:ho|soffro di) (?:un'|una |l'|il |la |le )?(?:\w+ )?(?:allergia|diabete|asma"
                r"|intolleranza|celiachia|epilessia|ipertensione|emicrania)\b"
            ),
            r"(?:io )?non (?:mangio|bevo|fumo|tollero|digerisco) (?!niente|quest|più niente|tanto|ora|nessun)",
            (
                rf"{_MY} (?:compleanno|nome|cognome|indirizzo|numero|fuso orario|gruppo sanguigno|professione"
                rf"|e-mail|lingua madre|data di nascita|anniversario) (?:è|cade)\b"
            ),
        ),
        fact(
            "first_person",
            FIRM,
            (
                r"(?:io )?ho (?:un|una|due|tre|quattro|cinque|\d+) (?:figli[oae]?|fratell[oi]|sorell[ae]"
                r"|can[ei]|gatt[oaie]|cavall[oi]|nipoti|gemelli)\b"
            ),
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:vive|vivono|abita|abitano|lavora|lavorano"
                rf"|si chiama|si chiamano|studia|viene da|parla|fa (?:il|la|l')|ha (?:\w+ anni|\d|un|una|due"
                rf"|tre|l'allergia)|è (?:allergic[oa]|vegetarian[oa]|vegan[oa]|medico|infermier[ea]|insegnante"
                rf"|avvocat[oa]|ingegnere|di (?-i:[A-Z])|nat[oa]|incinta|sposat[oa]|in pensione|una? (?!po)"
                rf"|(?-i:[A-Z])\w))(?:\b|(?<='))"
            ),
            (
                r"(?:io )?(?:mi sono trasferit[oa]|mi sono sposat[oa]|mi sono laureat[oa]|ho iniziato (?:un"
                r"|a lavorare)|ho smesso di|ho studiato|studio \w+ (?:a|all)|guido una?|suono .{2,30}"
                r"|imparo .{2,30} da|prendo \d|vado in .{2,40} (?:ogni|tutti i|il))\b"
            ),
        ),
        fact(
            "group",
            8_900,
            (
                r"(?:noi )?(?:abbiamo|ci siamo) (?:finalmente |appena )?(?:deciso|concordato|scelto|migrato"
                r"|cambiato|sostituito|adottato|aggiornato|accordati|smesso|spostato)\b"
            ),
            r"(?:noi )?(?:usiamo|utilizziamo|lavoriamo con|siamo in \w+|abbiamo \d)\b",
            (
                r"(?:(?:il|la|i|le) )?nostr[oaie] (?:[\w'-]+ ){1,4}?(?:è|sono|usa|usano|gira|si chiama|ha"
                r"|hanno|si trova)\b"
            ),
        ),
        fact(
            "relation",
            FAIR,
            (
                rf"{_MY} (?:\w+ )?{_KIN}(?:,? {_NAME},?)? (?:è|ha|hanno|dice|ha detto|mi ha detto|odia|ama"
                rf"|adora|va|gioca|non mangia|mangia|guida|prende|sono|era|non)\b"
            ),
        ),
        fact(
            "possession",
            FAIR,
            (
                r"(?:(?:il|la|i|le|lo) )?(?:mi[oae]|miei|nostr[oaie]) (?:[\w'/.-]+ ){1,4}?"
                r"(?:dura|durano|inizia|iniziano|comincia|finisce|finiscono|apre|aprono|chiude|chiudono|costa"
                r"|si riunisce|si trova|paga|comprende|appartiene)\b"
            ),
            (
                r"(?!(?:(?:il|la|i|le) )?(?:mio|mia|miei|mie) (?:[\w'-]+ ){1,3}?(?:è|sono) (?:(?:molto|quasi|già"
                r"|ancora|così|troppo) )?(?-i:[^\WA-ZÀ-Þ])[\w'-]+[.!]*$)(?:(?:il|la|i|le) )?(?:mio|mia|miei"
                r"|mie) (?:[\w'-]+ ){1,5}?(?:è|sono|ha|hanno|si chiama|scade|inizia|finisce|costa|parte"
                r"|si trova)\b"
            ),
            (
                r"(?:io )?(?:uso|utilizzo|gioco|colleziono|pratico|guido|imparo|studio|corro|nuoto|mi alzo"
                r"|mi sveglio|ho comprato (?:una casa|un appartamento|un'auto|una macchina|una moto)|ho adottato"
                r"|peso|suono|sto (?:studiando|imparando)|lavoro|faccio (?:yoga|sport|il |la |parte"
                r"|volontariato))\b.{3,}"
            ),
            r"sono .{2,40}\bda(?:l|gli)?\b",
        ),
        fact(
            "named_thing",
            FAIR,
            (
                r"(?:il|la|i|le|l'|lo) ?(?:[\w'/.-]+ ){1,6}?(?:è|sono|si chiama|inizia|finisce|scade|ascolta"
                r"|gira|costa|si trova)\b(?=.*(?:\d|si chiama))(?!.*\bcapitale\b)"
            ),
            (
                rf"(?!(?:Il|La|Lo|I|Gli|Le|Un|Una|Mio|Mia|Questo|Questa|Quello|Io|Se|Che|Chi|C'è|Non|Oggi"
                rf"|È)\b){_NAME} (?:vive|abita|lavora|dirige|guida|è (?:il mio|la mia|il nostro)|sostituisce"
                rf"|si è trasferit[oa])\b"
            ),
        ),
    ),
)
