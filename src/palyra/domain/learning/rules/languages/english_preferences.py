"""English preferences: likes and dislikes, how to answer, what to call whom, and standing instructions."""

from palyra.domain.learning.rules.language import FAIR, LIKELY, preference

_ADV = (
    r"(?:(?:really|absolutely|also|do|always|still|much|strongly|generally|usually|personally"
    r"|definitely|truly|particularly|especially|quite|kind of|very much|just|simply|totally) )*"
)
_POINTS = (
    r"(?!(?:it|its|their|his|this|that|these|those|them|him|her|you|your|yours|how|what|where|who|when|being"
    r"|seeing|hearing|both|all|everything|nothing|to\W*$|to (?:know|see|hear|think|thank|say|ask|be|get"
    r"|learn more)|the (?:idea|way|sound|look|fact|first|second|third|last|latter|former|other"
    r"|one|new|thought|name|result|answer|part|taste|texture|flavou?r|design|photo|picture)|my (?:job|life|kids|wife"
    r"|husband|family|mom|dad|sister|brother|son|daughter))\b)"
)
_THING = r"(?P<thing>[^.,;:!?]{2,60})"
_PLEASE = (
    r"(?:please,? |and |also,? |so,? |but |you (?:should|must|can) |i (?:want|need|would like"
    r"|expect) you to |i'd like you to |make sure (?:that )?(?:you|to) |remember to |try to "
    r"|be sure to )*"
)
_NO_IDIOM = (
    r"(?!mind\b|heard|again|an? |the |good|nice|happy|been|seen|thought|wanted|had\b|did\b|was\b"
    r"|ever\b|say never|fun|great|there\b|on time|in my|too late|knew|look(?:ing)? back|got\b"
    r"|said|saw\b|came\b|went\b|[a-z]+ed\b|here\b|give up|forget\b|lose hope|stop (?:learning"
    r"|dreaming)|once\b|going to|will\b|before|better|more\b|in a|full\b|told\b|look forward|up\b|down\b|open\b"
    r"|ready\b"
    r"|(?!focus)[a-z]+[^s\W]s\b|(?!bring|ping)[a-z]+ing\b)"
)
_SAY = r"(?:answer|reply|respond|speak|talk|communicate|chat)"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|summaries|texts?|e-?mails?|code|comments?)"
_MANNER = (
    r"(?:formal|informal|casual|concise|brief|direct|honest|polite|blunt|critical|friendly|short"
    r"|precise|to the point|verbose|detailed)"
)
_DAYS = (
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Tomorrow|Today|Tonight|Back|Later|When|If|ASAP"
    r"|At|On|In|January|February|March|April|May|June|July|August|September|October|November"
    r"|December"
)
_FORM = (
    r"(?:metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles|24[- ]?h(?:our)?"
    r"|12[- ]?h(?:our)?|iso(?: \d+)?|dates?|times?|prices?|temperatures?|distances?|currenc(?:y"
    r"|ies)|euros?|dollars|british|american|oxford comma|bullet points?|markdown|emojis?"
    r"|plain english|si units|military time)"
)

PREFERENCES = (
    preference(
        "address",
        9_200,
        "address.name",
        (
            rf"{_PLEASE}(?:just |everyone |everybody |my friends |friends |people |you can )?(?:call"
            rf"|calls) me (?!(?:{_DAYS})\b)(?P<thing>(?-i:[A-ZÀ-Þ])[\w'’-]+)"
        ),
        r"i(?:'d| would)? (?:go by|prefer to be called|like to be called"
        r"|rather be called)\b (?P<thing>[^.,;!?]{1,40})",
        r"my (?:preferred )?pronouns are (?P<thing>[^.,;!?]{1,40})",
    ),
    preference(
        "address",
        LIKELY,
        "address.form",
        rf"{_PLEASE}(?:address|refer to) me (?:as|by|with|formally|informally|casually|politely)\b",
    ),
    preference(
        "standing_instruction",
        8_900,
        "rule",
        rf"{_PLEASE}(?:always|never|don't ever|do not ever|only ever) {_NO_IDIOM}(?P<thing>[a-z][\w-]+.{{1,120}})",
        (
            rf"(?:from now on|going forward|from here on(?: out)?|henceforth|in (?:the )?future|as of (?:now"
            rf"|today)|starting (?:now|today)|by default|as a rule|in general),? {_PLEASE}(?!i'll|i will|i'm"
            rf"|i am|we'll)(?P<thing>\w.{{2,120}})"
        ),
        (
            rf"{_PLEASE}(?P<thing>(?!i\b|we\b|he\b|she\b|they\b|it\b|you\b|as\b|[a-z]+[^s\W]s\b|[a-z]+ing\b"
            rf"|great\b|good\b|nice\b)[a-z][\w-]+ .{{2,100}}(?<! as)) (?:from now on|going forward|by default"
            rf"|every time|at all times|always)\W*$"
        ),
        (
            r"(?:when|whenever|every time|each time) (?:i|you|we) .{3,80}?,? (?:please |always |never "
            r"|just )*(?:give|use|show|answer|reply|respond|write|keep|add|include|ask|don't(?! (?:hesitate"
            r"|forget|worry))|do not|make|start|explain|run|check|put|tell|send|call|provide|list|format|quote"
            r"|say|assume|skip|avoid)\b"
        ),
        (
            rf"{_PLEASE}(?P<thing>(?:start|begin|end|finish|run|add|include|write|put|check|use|sign|ask|test"
            rf"|lint|format|show|give|keep|make|send|tag|review|document|name|prefix|close|explain"
            rf"|limit)\b.{{0,60}}\b(?:every|each|all|any)(?: of)?(?: your| my| our"
            rf"| the)? (?:[\w-]+ )?(?:answers?|repl(?:y|ies)|responses?|messages?|commits?|e-?mails?|code|files?"
            rf"|functions?|pull requests?|prs?|releases?|times?|deploy\w*|branch(?:es)?|documents?|tables?"
            rf"|lists?|meetings?|push(?:es)?|merges?)\b.{{0,60}})"
        ),
        (
            r"(?:i (?:want|need|expect)|i'd like|i would like) you to (?P<thing>(?:always|never|be (?!my|an?\b"
            r"|the\b|creative|innovative)|stop|only|answer|reply|respond|use|call|keep)\b.{2,80})"
        ),
        (
            r"i(?:'d| would)? (?:like|love|hate|prefer|don't like|do not like|dislike"
            r"|appreciate) it (?:when|if) you (?P<thing>.{3,80})"
        ),
        (
            r"i (?:like|want|prefer|need|expect|don't (?:like|want|need)) (?:my |your "
            r"|all )?(?P<thing>(?:[\w-]+ ){0,3}(?:answers|replies|responses|explanations|summaries"
            r"|code comments|bullet points)\b.{0,60})"
        ),
    ),
    preference(
        "answer_form",
        8_600,
        "answer",
        (
            rf"{_PLEASE}(?:always |only )?{_SAY}(?: to)?(?: me)?(?: only| always)? (?P<thing>(?:in|with"
            rf"|using) (?!incredible |great |one (?:word|sentence)|yes|a single|the following|detail\b|that"
            rf"|which)[^.!?]{{2,80}})"
        ),
        rf"{_PLEASE}(?:write|explain|type)(?: everything| things)? to me (?P<thing>in [^.!?]{{2,60}})",
        rf"{_PLEASE}keep (?:all )?(?:your|my) {_ANSWERS} (?P<thing>.{{2,60}})",
        (
            rf"{_PLEASE}(?:no|don't use|do not use|avoid|skip|drop|leave out|stop using|don't add|don't include"
            rf"|don't give me|do not add|do not include)(?: any)? (?P<thing>[^.!?]{{2,60}}\b(?:in (?:your|my|any"
            rf"|all|the) [\w-]+|when you|with me|to me|ever|any ?more)\b.{{0,40}})"
        ),
        (
            rf"{_PLEASE}(?:no|don't use|do not use|avoid|skip|drop|stop using) (?P<thing>(?:emojis?"
            rf"|smileys|jargon|exclamation marks|bullet points|markdown|headings|em dashes|filler|flattery"
            rf"|small talk)\b.{{0,40}})"
        ),
        (
            r"(?:please )?stop (?P<thing>(?:apologi[sz]|using|saying|adding|asking|calling|repeating"
            r"|explaining|summari[sz]|giving|including|putting|ending|starting|prefacing)\w*\b.{0,60})"
        ),
        rf"{_PLEASE}(?:always )?be (?:more |less |very |always )?(?P<thing>{_MANNER}\b.{{0,20}} (?:with me"
        rf"|to me|when|in your"
        rf"|always|from now)\b.{{0,40}})",
        (
            rf"{_PLEASE}(?:use|give(?: me)?|show(?: me)?|write|format|quote|express|tell me|report|display"
            rf"|put|state)(?: the| all| your| my| me)? (?P<thing>(?:[\w-]+ ){{0,3}}?{_FORM}\b(?: (?:in|as"
            rf"|with|when|for|instead|units?|clock|format|spelling|english|to me)\b.{{0,60}}|\W*$))"
        ),
        (
            r"(?:i'd|i would) (?:rather|prefer)(?: to)?(?: have| get| see"
            r"| read)? (?P<thing>(?:[\w-]+ ){0,3}(?:answers|replies|responses|explanations|bullet points"
            r"|summaries)\b.{0,60})"
        ),
    ),
    preference(
        "answer_form",
        7_900,
        "answer",
        rf"{_PLEASE}be (?:more |less |very |always )?(?P<thing>{_MANNER}\b)",
    ),
    preference(
        "standing_instruction",
        8_600,
        "rule",
        (
            rf"{_PLEASE}use (?P<thing>.{{1,60}}\b(?:when|whenever|for all|for every|for any|in all"
            rf"|in every|by default|everywhere|for (?:my|our) [\w-]+)\b.{{0,60}})"
        ),
        (
            r"(?:in (?:this|our|my) (?:team|company|house|repo|project|family|office),? )?we (?P<thing>(?:always"
            r"|never|only ever|don't ever) (?!been|had|wanted|thought|got|said|seem|look forward)[a-z]+.{2,80})"
        ),
        r"in (?:this|our|my) (?:team|company|house|repo|family|office),? (?P<thing>.{4,90})",
        (
            r"(?:(?:the|our|my|a) )?(?:team |house |company |general |golden )?(?:rule|policy"
            r"|convention)(?: here| is|: )[^.!?]{3,90}"
        ),
        (
            r"no (?P<thing>(?:deploy\w*|meetings?|merges?|releases?|calls?|push\w*|phones?|shoes|smoking"
            r"|commits?) (?:on|before|after|without|during|at|in|to)\b.{2,60})"
        ),
        (
            r"(?P<thing>(?:every|all|each) (?:[\w-]+ ){1,3}(?:needs?|must|has to|have to|should|requires?"
            r"|goes|go|gets?) .{2,80})"
        ),
        (
            r"(?P<thing>(?!i\b|we\b|you\b|he\b|she\b|it\b|they\b|there\b|this\b|that\b|someone\b"
            r"|somebody\b|my\b)(?:[\w-]+ ){1,3}(?:must|should) (?:always|never) .{2,80})"
        ),
        (
            r"(?P<thing>(?!i\b|we\b|you\b|he\b|she\b|it\b|they\b|there\b|this\b|that\b|someone\b|somebody\b"
            r"|my\b)(?:[\w-]+ ){1,3}(?:must|should|have to|has to|need to|needs to) (?:always |never "
            r"|not )?(?:be|go|have|pass|use|get|end|start|follow|include|contain)\b.{2,80}\b(?:before|every|each"
            r"|always|never|by|without|after|until)\b.{0,50})"
        ),
        (
            r"(?P<thing>(?!i\b|we\b|you\b|he\b|she\b|it\b|they\b)(?:[\w-]+ ){1,2}go(?:es)? (?:to|through|out"
            r"|in) .{2,50}\b(?:before|by|every|each|always|until)\b.{2,50})"
        ),
        (
            r"(?:please )?(?P<thing>(?:don't|do not) (?:ever )?(?:deploy|merge|push|commit|call|book"
            r"|schedule|contact|email|share|delete|touch|edit|wake|interrupt)\b.{2,60}\b(?:on (?:\w+days?"
            r"|weekends)|before \d+|after \d+|without|ever|unless)\b.{0,50})"
        ),
    ),
    preference(
        "likes",
        LIKELY,
        "prefer",
        (
            rf"i(?:'d| would)? {_ADV}prefer (?!not to\b|the (?:first|second|third|last|latter|former|other"
            rf"|one|top|left|right|blue|red|green)\b|this|that|it\b|these|those|to (?:stay|wait|go|leave"
            rf"|not)\b|if\b|your\b|option)(?P<thing>[^.;!?]{{2,80}})"
        ),
        (
            r"(?:i'd|i would) (?:much |really )?rather (?:have|use|get|read|work|drink|travel|sit|receive"
            r"|be called|pay) (?!it\b|that\b|this\b|some\b|the\b)(?P<thing>[^.;!?]{2,80})"
        ),
        r"(?:i|we) (?P<thing>(?:like|love|enjoy) .{2,40} (?:more|better) than .{2,40})",
        (
            r"i (?:only|always) (?:ever )?(?:drink|eat|fly|want(?! to\b)|use|wear|buy|read|order|take|travel|book"
            r"|listen to) (?!it\b|this|that|one\b|the (?:last|first))(?P<thing>[^.;!?]{2,60})"
        ),
        rf"my {_ADV}preference is (?P<thing>.{{2,60}})",
    ),
    preference(
        "likes",
        LIKELY,
        "like",
        (
            rf"i {_ADV}(?:love|like|enjoy|adore|dislike|hate|despise|detest|loathe|can't stand"
            rf"|cannot stand|can't bear|don't like|do not like|don't enjoy|never liked|don't care for"
            rf"|can't abide) {_POINTS}(?!the\b){_THING}"
        ),
        rf"i {_ADV}(?:hate|can't stand|cannot stand|detest|don't like|do not like) {_POINTS}{_THING}",
        (
            rf"i(?:'m| am) (?:not |really |also )*(?:an? )?(?:(?:big|huge|great|massive"
            rf"|lifelong) )*(?:fan of|fond of|keen on|obsessed with|partial to|crazy about|a sucker for"
            rf"|not into|into) {_POINTS}{_THING}"
        ),
        rf"i've (?:always )?(?:loved|hated|liked|disliked) {_POINTS}{_THING}",
        (
            r"i(?:'m| am) (?:definitely |really )?(?:more of )?an? (?P<thing>(?:morning|evening|night|cat"
            r"|dog|tea|coffee|dogs|cats|beach|mountain|people|city) person)\b"
        ),
    ),
    preference(
        "likes",
        LIKELY,
        "favourite",
        (
            r"my (?:all-time |absolute |personal )?favou?rite (?P<thing>[\w -]{2,40}?) (?:is|are"
            r"|has always been)\b"
        ),
    ),
    preference(
        "likes",
        FAIR,
        "like",
        r"(?P<thing>[\w' -]{2,40}) (?:is|are) my (?:all-time |absolute )?favou?rite\b",
        (
            rf"i {_ADV}(?:don't|do not) (?:want|need) (?P<thing>(?:emails|calls|notifications|reminders"
            rf"|emoji)[^.;!?]{{0,60}})"
        ),
    ),
)
