"""Words for time: days, weekdays, months, units and what stands around them, in the languages `temporal` reads."""

import re


def _table(text: str) -> dict[str, int]:
    """`word word=number` lines: every word of a line gets the number after the `=`."""
    entries: dict[str, int] = {}
    for line in text.strip().splitlines():
        words, _, value = line.partition("=")
        entries.update(dict.fromkeys(words.split(), int(value)))
    return entries


DAYS = _table("""
vorgestern anteayer anteontem antier позавчера = -2
yesterday gestern hier ayer ontem ieri вчера = -1
today tonight heute hui hoy hoje oggi сегодня = 0
tomorrow morgen demain mañana amanhã domani завтра = 1
übermorgen послезавтра = 2
""")

WEEKDAYS = _table("""
monday montag lundi lunes lunedì понедельник понедельника = 0
tuesday dienstag mardi martes martedì вторник вторника = 1
wednesday mittwoch mercredi miércoles mercoledì среду среда среды = 2
thursday donnerstag jeudi jueves giovedì четверг четверга = 3
friday freitag vendredi viernes venerdì пятницу пятница пятницы = 4
saturday samstag sonnabend samedi sábado sabato субботу суббота субботы = 5
sunday sonntag dimanche domingo domenica воскресенье воскресенья = 6
""")
# Also words of other meanings, so they count only when capitalised and led by a word that expects a day.
SHORT_WEEKDAYS = _table("""
mon = 0
tue tues = 1
wed = 2
thu thur thurs = 3
fri = 4
sat = 5
sun = 6
""")

MONTHS = _table("""
january jan januar jänner janvier enero janeiro gennaio январь января январе = 1
february feb februar février febrero fevereiro febbraio февраль февраля феврале = 2
march mar märz mars marzo março марта март марте = 3
april apr avril abril aprile апрель апреля апреле = 4
may mai mayo maio maggio май мая мае = 5
june jun juni juin junio junho giugno июнь июня июне = 6
july jul juli juillet julio julho luglio июль июля июле = 7
august aug août agosto август августа августе = 8
september sep sept septembre septiembre setembro settembre сентябрь сентября сентябре = 9
october oct oktober octobre octubre outubro ottobre октябрь октября октябре = 10
november nov novembre noviembre novembro ноябрь ноября ноябре = 11
december dec dezember décembre diciembre dezembro dicembre декабрь декабря декабре = 12
""")
_UNSURE = "may march mar jan mai mars jun jul dec sep august nov mae май"
UNSURE_MONTHS = frozenset(_UNSURE.split())
"""verbs, names and planets as well: they need a number or a word that expects a month beside them"""

SEASONS = _table("""
spring frühling frühjahr printemps primavera весной = 0
summer sommer été verano verão estate летом = 1
autumn fall herbst automne otoño outono autunno осенью = 2
winter hiver invierno inverno зимой = 3
""")

MINUTE, HOUR, DAY, WEEK, WEEKEND, MONTH, YEAR = range(7)
UNITS = _table(f"""
minute minutes minuten minuto minutos minuti минут минуты = {MINUTE}
hour hours stunde stunden heure heures hora horas ora ore час часа часов = {HOUR}
day days tag tage tagen jour jours día días dia dias giorno giorni день дня дней = {DAY}
week weeks woche wochen semaine semaines semana semanas settimana settimane неделя неделю недели недель неделе = {WEEK}
weekend weekends wochenende выходные выходных = {WEEKEND}
month months monat monate monaten mois mes meses mês mese mesi месяц месяца месяцев месяце = {MONTH}
year years jahr jahre jahren an ans année années año años ano anos anno anni год года году лет = {YEAR}
""")

SHIFTS = _table("""
last past previous letzte letzten letzter letztes letztem vergangene vergangenen vorige vorigen = -1
dernier dernière derniers dernières passé passée pasado pasada passado passada último última = -1
scorso scorsa passato ultimo прошлый прошлой прошлую прошлом прошлого прошлые = -1
this current diese diesen dieser dieses diesem ce cet cette este esta neste nesta questo questa этот этой эту этом = 0
next coming following nächste nächsten nächster nächstes kommende kommenden prochain prochaine = 1
próximo próxima prossimo prossima следующий следующей следующую следующем = 1
""")
_AFTER_ITS_NOUN = """
dernier dernière passé passée pasado pasada passado passada scorso scorsa passato prochain prochaine
próximo próxima prossimo prossima"""
AFTER_ITS_NOUN = frozenset(_AFTER_ITS_NOUN.split())
_ROLLING = "past last letzten vergangenen derniers dernières últimos últimas ultimi ultime последние"
ROLLING = frozenset(_ROLLING.split())
"""before a number: the days up to now"""

NUMBERS = _table("""
a an one ein eine einem einer un une uno una um uma один одну одна = 1
two zwei deux dos dois duas due два две couple = 2
three drei trois tres três tre три few several paar quelques algunos alguns = 3
four vier quatre cuatro quatro quattro четыре = 4
five fünf cinq cinco cinque пять = 5
six sechs seis sei шесть = 6
seven sieben sept siete sete sette семь = 7
eight acht huit ocho oito otto восемь = 8
nine neun neuf nueve nove девять = 9
ten zehn dix diez dez dieci десять = 10
eleven elf onze once undici = 11
twelve zwölf douze doce doze dodici = 12
""")
_VAGUE = "couple few several quelques algunos alguns paar"
VAGUE = frozenset(_VAGUE.split())
ORDINALS = _table("""
first 1st = 1
second 2nd = 2
third 3rd = 3
fourth 4th = 4
last final = -1
""")

_AGO = "ago earlier fa atrás назад"
AGO = frozenset(_AGO.split())
_AGO_BEFORE = "vor hace há"
AGO_BEFORE = frozenset(_AGO_BEFORE.split())
_IN = "in dans en em tra fra через within"
IN = frozenset(_IN.split())
_SINCE = "since seit depuis desde dal dalla с"
SINCE = frozenset(_SINCE.split())
_BEFORE = "before prior avant antes vor prima до"
BEFORE = frozenset(_BEFORE.split())
_AFTER = "after nach après después despues depois dopo после"
AFTER = frozenset(_AFTER.split())
_UNTIL = "until till bis hasta até fino"
UNTIL = frozenset(_UNTIL.split())
_BETWEEN = "between from zwischen entre tra fra между von de"
BETWEEN = frozenset(_BETWEEN.split())
_AND = "and to through until und bis et à y a e и по"
AND = frozenset(_AND.split())
_FILLERS = "the of on in early late mid at le la les el los il lo im am der den dem du de d l of у о"
FILLERS = frozenset(_FILLERS.split())
_EXPECTS_MONTH = """in since of last next this by until till before after during early late mid from between and through
im seit ende anfang bis en depuis desde de em a dal nel в с до le on to"""
EXPECTS_MONTH = frozenset(_EXPECTS_MONTH.split())
_EXPECTS_YEAR = """in since before after until till of during from year by and between to early late mid
im seit vor nach jahr en depuis avant après desde antes em até dal nel nell dopo в с до после around"""
EXPECTS_YEAR = frozenset(_EXPECTS_YEAR.split())
_EXPECTS_DAY = "on last next this by until since before after am le el no na в"
EXPECTS_DAY = frozenset(_EXPECTS_DAY.split())
_EVERY = "every each jeden jede chaque cada ogni каждый каждую per"
EVERY = frozenset(_EVERY.split())
_EXPECTS_SEASON = "last next this in of since during before after im letzten en no na nell"
EXPECTS_SEASON = frozenset(_EXPECTS_SEASON.split())
# Words that look like a day of time in one language and are something else in another, unless led by these.
NOT_AFTER = {
    "morgen": frozenset({"guten", "am", "jeden", "den"}),
    "mañana": frozenset({"la", "esta", "una", "buena"}),
}
_FRENCH = "je j nous vous elle est était ai avons avez ont c soir matin il le la les mon ma"
FRENCH = frozenset(_FRENCH.split())

KEYS = frozenset(DAYS) | frozenset(WEEKDAYS) | frozenset(SHORT_WEEKDAYS) | frozenset(MONTHS) | frozenset(SEASONS)
KEYS |= frozenset(UNITS)

# The same words with what may cling to them in running text: splitting at blanks is cheaper than finding words.
_CLINGING = ("", ",", ".", "?", "!", ";", ":", "'s", "...")
_NO_CLUE = frozenset({"minute", "hora", "ora", "ore", "an", "час"})  # too common to look further for
CLUES = frozenset(word + mark for word in KEYS - _NO_CLUE for mark in _CLINGING)

# --- Chinese and Japanese --------------------------------------------------------------------------------------------

_N = "[0-9]{1,4}|[〇零一二两兩三四五六七八九十]{1,3}"
_WEEK = "周|週|星期|礼拜|禮拜"
_DAY_NAMES = (
    "大前天|前天|昨天|今天|明天|大后天|后天|後天|一昨日|昨日|今日|明日|明後日|昨晚|今晚|昨夜|今夜|"
    "おととい|きのう|きょう|あした"
)
EAST_ASIAN = re.compile(
    f"(?P<ago_n>{_N}|几|幾|数)(?:个|個|ヶ|か|カ)?(?P<ago_unit>天|日|周|週間|星期|礼拜|月|年)(?:之|以)?(?P<ago>前|后|後)"
    f"|(?P<year>[0-9]{{4}}|[〇零一二三四五六七八九]{{4}})年(?:(?P<ym>{_N})月(?:份|(?P<yd>{_N})[日号號])?)?"
    f"|(?P<rel_year>前年|去年|今年|明年|后年|後年|昨年|来年|一昨年)的?(?:(?P<rm>{_N})月(?:份|(?P<rd>{_N})[日号號])?)?"
    f"|(?P<shift>上上|上|这|這|本|下下|下|先々|先|今|来)(?:个|個)?(?P<shifted>(?:{_WEEK})末?|月)(?P<on>[一二三四五六日天])?"
    f"|(?P<day>{_DAY_NAMES})"
    f"|(?P<month>{_N})月(?:份|(?P<mday>{_N})[日号號])?"
    f"|(?:{_WEEK})(?P<weekday>[一二三四五六日天])|(?P<youbi>[月火水木金土日])曜日?"
)
EAST_ASIAN_CLUE = re.compile("[年月日天周週昨今明曜礼禮星前后後]|おとと|きのう|きょう|あした")
EAST_ASIAN_DAYS = _table("""
大前天 = -3
前天 一昨日 おととい = -2
昨天 昨日 昨晚 昨夜 きのう = -1
今天 今日 今晚 今夜 きょう = 0
明天 明日 あした = 1
后天 後天 明後日 = 2
大后天 = 3
""")
EAST_ASIAN_YEARS = _table("""
前年 一昨年 = -2
去年 昨年 = -1
今年 = 0
明年 来年 = 1
后年 後年 = 2
""")
EAST_ASIAN_SHIFTS = _table("""
上上 先々 = -2
上 先 = -1
这 這 本 今 = 0
下 来 = 1
下下 = 2
""")
EAST_ASIAN_WEEKDAYS = {character: index % 7 for index, character in enumerate("一二三四五六日月火水木金土")}
EAST_ASIAN_WEEKDAYS.update({"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6, "天": 6})
EAST_ASIAN_DIGITS = {"〇": 0, "零": 0, "两": 2, "兩": 2, **{c: n for n, c in enumerate("一二三四五六七八九", 1)}}
