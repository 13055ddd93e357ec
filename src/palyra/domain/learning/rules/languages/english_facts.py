"""English facts: about the speaker, those near to the speaker, and what a group has, uses and decides."""

from palyra.domain.learning.rules.language import FAINT, FAIR, FIRM, LIKELY, SURE, fact

_ADV = (
    r"(?: (?:severely|mildly|slightly|highly|deathly|very|badly|also|still|now|actually|currently"
    r"|originally|really|just|recently|finally|only|both|all|basically|technically|mostly"
    r"|strictly|a strict))*"
)
_NAME = r"(?-i:[A-ZÀ-Þ])[\w'’.&-]+"
_PERSON = r"(?-i:[A-ZÀ-Þ])[\w’-]+"
_NO_NAME = (
    r"(?:The|This|That|It|He|She|They|You|We|There|My|Our|Your|What|Who|Why|How|If|When|Someone|Somebody"
    r"|Everyone|Nobody|People|Each|Every|All|No|Here|Next|Last|Just|Recently|Hard|Nice|Good|Great|One|Life|Love"
    r"|Work|Time|Today|Tomorrow|Yesterday|Everything|Nothing|Something|Anyone|Only|Never|Always|Still|Also|Then"
    r"|Now|Wow|Sounds|Looks|Feels|Seems)\b"
)
_COUNT = r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|no|twin|\d+)"
_CONDITION = (
    r"(?:allergic to (?!mondays?|mornings|stupid\w*|nonsense|bullshit|meetings|work|drama|people|idiots|exercise"
    r"|bugs|it\b|that\b|this\b|you\b)|(?:lactose|gluten|fructose|histamine)[- ]intolerant|intolerant to|vegan"
    r"|(?:a )?vegetarian|pescatarian|(?:a )?co?eliac|(?:a )?(?:type [12] )?diabetic|asthmatic|epileptic|dyslexic"
    r"|colou?r[- ]?blind|deaf|hard of hearing|left[- ]handed|right[- ]handed|teetotal|autistic|hypertensive"
    r"|an(?:a)?emic|pregnant|married(?! to (?:my|the) (?:job|work))|divorced|widowed|engaged to|retired"
    r"|self[- ]employed|unemployed|nearsighted|short-sighted|blind in|a twin|an only child|trilingual|bilingual"
    r"|jewish|muslim|catholic|hindu|buddhist)"
)
_ILLNESS = (
    r"(?:diabetes|asthma|adhd|add|autism|celiac disease|coeliac disease|arthritis|epilepsy|hypertension"
    r"|high blood pressure|migraines|dyslexia|eczema|psoriasis|crohn's\w*|ibs|gout|hay fever|insomnia|anemia"
    r"|anaemia|tinnitus|scoliosis|glaucoma|depression|anxiety disorder|(?:an? )?(?:[\w-]+ ){0,3}(?:allergy"
    r"|allergies|intolerance)|a pacemaker|a heart condition|a bad (?:knee|back|shoulder|hip))"
)
_PROFESSION = (
    r"(?:nurse|teacher|doctor|engineer|developer|programmer|designer|lawyer|baker|chef|cook|student|architect"
    r"|accountant|manager|pilot|journalist|writer|author|editor|scientist|researcher|professor|lecturer"
    r"|librarian|carpenter|electrician|plumber|mechanic|driver|dentist|vet|veterinarian|pharmacist|therapist"
    r"|psychologist|psychiatrist|physiotherapist|surgeon|paramedic|midwife|firefighter|police officer|soldier"
    r"|sailor|farmer|gardener|florist|barista|waiter|waitress|bartender|musician|pianist|singer|actor|actress"
    r"|photographer|painter|artist|translator|interpreter|consultant|analyst|administrator|sysadmin|devops"
    r"|technician|freelancer|founder|co-founder|entrepreneur|owner|director|ceo|cto|cfo|tester|salesman"
    r"|saleswoman|realtor|broker|banker|economist|historian|biologist|chemist|physicist|mathematician"
    r"|statistician|geologist|astronomer|civil servant|social worker|judge|notary|tailor|hairdresser|barber"
    r"|beekeeper|butcher|fisherman|coach|trainer|tutor|intern|apprentice|maintainer|contractor"
    r"|stay-at-home (?:mom|mum|dad)|nanny)"
)
_KIN = (
    r"(?:mother|father|mom|mum|dad|parents|brothers?|sisters?|sons?|daughters?|wife|husband|partner|spouse"
    r"|fianc[ée]e?|girlfriend|boyfriend|uncle|aunt|cousins?|nephews?|nieces?|grand(?:mother|father|ma|pa|son"
    r"|daughter|parents|kids|children)|kids?|children|child|baby|twins?|siblings?|stepson|stepdaughter"
    r"|step(?:mother|father|brother|sister)|(?:mother|father|brother|sister|son|daughter)-in-law|in-laws|ex"
    r"|ex-wife|ex-husband|friends?|best friend|roommates?|flatmates?|housemates?|neighbou?rs?|boss|manager"
    r"|supervisor|coworkers?|co-workers?|colleagues?|teammates?|mentor|landlord|landlady|doctor|gp|dentist"
    r"|therapist|teacher|accountant|lawyer|coach|dogs?|cats?|puppy|kitten|horse|parrot|rabbit|hamster|bird"
    r"|tortoise|goldfish|pets?|team)"
)
_PET_OR_KIN = (
    r"(?:brothers?|sisters?|sons?|daughters?|kids?|children|child|twins?|siblings?|cousins?"
    r"|grandchildren|nephews?|nieces?|wife|husband|dogs?|cats?|pupp(?:y|ies)|kittens?|horses?"
    r"|parrots?|rabbits?|hamsters?|chickens?|goats?|tortoises?|boys?|girls?|stepsons?"
    r"|stepdaughters?)"
)
_ALONE = (
    r"(?=[.,;:!?)]|$| (?:and|named|called|who|who's|whose|from|with|of|since|last|this|two|an?|about|now|back|at"
    r"|for|but|so|because|too|as|that|which|aged|living|in (?!(?:my|the) class)|on (?!my team)|both|together"
    r"|yet|\d|(?-i:[A-Z])))"
)
"""a pet itself, and not its bed"""
_ATTRIBUTE = (
    r"(?:birthday|date of birth|name|first name|full name|last name|surname|family name|middle name|maiden name"
    r"|address|home address|e-?mail(?: address)?|phone number|time ?zone|blood (?:type|group)|shoe size|height"
    r"|weight|age|nationality|native language|mother tongue|first language|job|job title|employer|star sign"
    r"|pronouns|username|github (?:handle|username)|hometown|home town|wedding anniversary|anniversary|ring size"
    r"|postcode|zip code|major|degree|salary|shirt size|passport)"
)
_EVENT = (
    r"(?:flight|train|bus|appointment|exam|interview|surgery|wedding|graduation|party|check-?up"
    r"|conference|deadline|vacation|holiday|trip|thesis defen[cs]e|visa|lease|contract"
    r"|subscription|insurance|licen[cs]e|passport|presentation|shift|class|course|operation"
    r"|due date|last day|first day|probation)"
)
_THING = (
    r"(?:number|id|port|servers?|database|db|deadline|release|launch|budget|wi-?fi|code|key|keys|meeting"
    r"|stand-?up|retro|review|api|repo|repository|branch|project|app|site|website|service|cluster|backup|backups"
    r"|endpoint|url|domain|version|licen[cs]e|office|team|client|customer|contract|invoice|rent|alarm|garage"
    r"|cabin|router|printer|password|account|queue|bucket|pipeline|build|ci|vpn|limit|timeout|sprint|demo"
    r"|workshop|conference|flight|train|appointment|kitchen|garden|house|flat|apartment|car|boat|shop|store"
    r"|school|product|company|library|package|module|config|dashboard|cache|event bus|broker|gateway|proxy|host"
    r"|machine|laptop|address|size|rate|price|fee|colou?r|distance|capacity|frequency|environment|staging"
    r"|production|window|quota|roadmap|schedule|standup)"
)
_GROUP_DEED = (
    r"(?:moved|migrated|switched|upgraded|downgraded|replaced|dropped|renamed|deprecated"
    r"|rolled out|launched|released|adopted|hired|acquired|merged|retired|standardi[sz]ed|bought"
    r"|sold|signed|opened|closed|founded|pushed|postponed|scheduled|promoted)"
)
_LASTING = (
    r"(?:house|home|flat|apartment|condo|cottage|cabin|farm|land|plot|car|van|motorbike|motorcycle|scooter"
    r"|e-bike|bike|bicycle|boat|camper|caravan|tesla|shop|business|piano|guitar|violin|cello|drum kit|dog|puppy"
    r"|cat|kitten|horse|laptop|macbook|phone|iphone|camera|printer|telescope|domain|license|licence)"
)
_IDLE = (
    r"(?:(?:questions?|sentences?|messages?|point|answer|conversation|prompt|dreams?|hard work|journey|brain|aim"
    r"|thoughts?|guess|heart|mind|hope|future|family is my|favou?rite (?:is|was|part)|experience)\b"
    r"|budget is (?:around )?[^a-z]+$)"
)
"""what somebody calls theirs without saying much about themselves"""
_PRAISE = (
    r"(?:it|that|this|super|so|really|paying off|coming true|bringing|like|always there|seen|made a|our|my|everything"
    r"|something|been (?:so|super|great|good|amazing|awesome|rewarding|helpful|fun|wild|a|there|very|really))\b"
)

FACTS = (
    fact(
        "health",
        SURE,
        (
            rf"(?:i(?:'m| am| was|'ve been| have been|'ve always been| have always been)){_ADV}(?: not"
            rf"| no longer)?{_ADV} {_CONDITION}"
        ),
        (
            rf"(?:i have|i've|i've got|i have got|i suffer from|i've had|i have had|i was diagnosed with"
            rf"|i've been diagnosed with|i live with|i have been diagnosed with){_ADV}(?: \w+ \d)? {_ILLNESS}\b"
        ),
        r"i(?: was|'ve been| have been|'ve just been) diagnosed with\b",
        (
            r"i(?:'m| am) on (?:an? |the )?(?:[\w-]+ ){1,3}(?:diet|insulin|medication|beta blockers"
            r"|blood thinners|antidepressants)\b"
        ),
        r"i(?:'m| am) on (?:insulin|beta blockers|blood thinners|antidepressants|medication for)\b",
        (
            r"i (?:don't|do not|can't|cannot|never|no longer)(?: really| usually)? (?:eat|drink|smoke|tolerate"
            r"|digest)\b(?! (?:it|that|this|them|another|any\b|anything|all|so|now|right|more|enough"
            r"|alone|here|there|out|in|at|well|until|before|when|while|the))"
        ),
        r"i take \d[\w.,]* ?(?:mg|mcg|µg|g|ml|iu|units?|pills?|tablets?)\b",
    ),
    fact(
        "first_person",
        SURE,
        r"i(?: was|'m| am) born (?:in (?!the wrong|a barn|another)|on\b|and raised\b)",
        rf"i(?:'m| am){_ADV} from (?!Mars\b|Venus\b|Hell\b){_NAME}",
        (
            rf"(?!my (?:\w+ )?name is (?:on|in|at)\b)my (?:{_ATTRIBUTE})(?: in [\w ]{{2,20}})? (?:is|are|was|falls on"
            rf"|will be) (?!not? (?:important|relevant)|the (?:same|best|worst)|a (?:secret|mystery|mess"
            rf"|joke))(?!(?:really |so |too |very )?(?:killing|boring|great|fun|hard|good|bad|weird|long"
            rf"|late|over|coming|soon|up|none)\b)"
        ),
        r"i(?:'m| am) \d{1,3}(?: years old| and |[.,!]|$)(?!%)",
        r"i turn(?:ed)? \d{1,3}\b",
        (
            rf"i(?:'ve| have)?{_ADV} (?:live|lived|been living) (?:in|near|at|on|with|outside"
            rf"|alone)\b(?! (?:fear|hope|denial|a world|a time|the moment|the past|the present|my head"
            rf"|chaos|peace|coffee|caffeine|pizza|the edge|it\b|that\b|this\b|the fact|interesting"
            rf"|the (?:city|area|suburbs?|same|neighbou?rhood|middle|apartment|building)\b(?! of)))"
        ),
        rf"i{_ADV} (?:grew up|was raised) (?:in|on|near|with|speaking)\b",
    ),
    fact(
        "work",
        FIRM,
        (
            rf"i(?:'m| am){_ADV} (?:a|an|the|now a|training to be an?)(?: (?!of\b|fan\b|like\b|with\b"
            rf"|bit\b|for\b|who\b|huge\b|big\b|terrible\b|bad\b|horrible\b|good\b|great\b|lousy\b|better\b"
            rf"|terrific\b|decent\b|natural\b|secret\b)[\w'-]+){{0,3}} {_PROFESSION}\b(?!'s)"
        ),
        (
            rf"i(?:'ve| have)?{_ADV} (?:work|worked|been working)(?:{_ADV}) (?:at (?!it\b|this|that"
            rf"|the moment|least)|for (?!me\b|it\b|this|that|hours|now)|as an? |from home\b(?! today)"
            rf"|remotely|night shifts?|nights|part[- ]time|full[- ]time|the (?:night|day|late|early"
            rf"|morning|evening) shift|in (?:a |an |the )?(?!this|that|progress|it\b|vain|silence|peace"
            rf"|pairs)[\w-]+)"
        ),
        (
            rf"i(?:'ve| have)?{_ADV} (?:studied|study|majored in|graduated|retired from|taught|teach"
            rf"|hold a|did my (?:phd|master|bachelor|degree))\b(?! (?:for|hard|all|this|that|it)\b)"
        ),
        (
            r"i(?:'ve| have)?(?: recently| just| finally| also)? (?:started|began|accepted|got|took"
            r"|landed|quit|left|lost|resigned from)(?: an?| my| the)? (?:[\w-]+ ){0,3}(?:job|position"
            r"|role|internship|degree|phd|business|startup|company|bakery|practice|master's)\b"
        ),
        (
            r"i(?: just| recently| finally)? (?:got|was|am getting|'m getting) (?:married|engaged"
            r"|divorced|promoted|hired|laid off)\b"
        ),
        (
            r"i(?:'ve| have)?(?: recently| just| finally)? (?:moved|relocated) (?:to|from|into|back to"
            r"|here from|in with)\b"
        ),
        r"i (?:speak|am fluent in|'m fluent in) (?:fluent |a little |some |basic )?(?-i:[A-Z])",
        (
            rf"i(?:'ve| have)?(?: also| only)?(?: got)? {_COUNT}(?: (?!more\b|other\b|question|reason"
            rf"|thing)[\w-]+){{0,3}} {_PET_OR_KIN}\b{_ALONE}"
        ),
        rf"i have{_ADV} {_COUNT}(?: (?!more\b|other\b)[\w-]+){{0,3}} {_PET_OR_KIN}\b{_ALONE}",
    ),
    fact(
        "habit",
        FIRM,
        (
            r"i(?:'ve| have) been (?:[\w-]+ ){0,1}?(?!trying|thinking|loving|enjoying|noticing|(?:playing|using"
            r"|doing|working|going|taking|making|seeing|coming|getting) (?:for"
            r"|since))\w+ing\b.{0,80}\bsince (?:\d{4}|i was|my|childhood|(?-i:(?:January|February|March|April"
            r"|May|June|July|August|September|October|November|December)) \d{4})\b"
        ),
        (
            r"i(?:'ve| have) been (?:[\w-]+ ){0,1}?(?!(?:playing|using|doing|working|going|taking|making"
            r"|seeing|coming|getting) for)\w+ing\b.{0,80}\bfor (?:about |over |almost |nearly |more than "
            r"|around )?(?!another\b|the\b)(?:\w+|\d+) (?:years?|decades?)\b"
        ),
        (
            r"i (?:go|run|swim|cycle|commute|volunteer|meet|teach|train|travel|wake up|get up|go to bed"
            r"|have (?:lunch|dinner|breakfast)|play|work|work out|exercise|practi[sc]e|attend"
            r"|take)\b.{0,60}\b(?:every|each|on (?:mondays|tuesdays|wednesdays|thursdays|fridays"
            r"|saturdays|sundays|weekends|weekdays)|daily|weekly|twice a|once a|three times a"
            r"|at \d{1,2}(?::\d\d)?|in the (?:mornings|evenings|afternoons))\b"
        ),
        (
            r"i (?:quit|stopped|gave up|started|took up|began)\b(?! (?:in|again|my (?:free"
            r"|trial))\b)[^,;–—]{1,60}\b(?:in \d{4}"
            r"|(?:years?|months?) ago|in (?-i:(?:January|February|March|April|May|June|July|August|September"
            r"|October|November|December)))\b"
        ),
        (
            r"i used to .{2,80}\b(?:but|until|and then|before) (?:i |then )?(?:quit|stopped|switched"
            r"|moved|now|gave|changed)\b"
        ),
        r"i (?:drive|own|ride) (?:a|an|two|three|\d+)\b(?! (?:lot|bit|long))",
    ),
    fact(
        "relation",
        FIRM,
        (
            rf"my (?:[\w-]+ ){{0,2}}?{_KIN}(?:,? {_NAME},?)? (?:is|was|are|were)(?: also| now"
            rf"| still)?(?: not)? (?:an? (?!bit|little|pain|mess|joke|disaster|great|good|bad|terrible"
            rf"|nightmare|genius|saint|angel|hero|lot|huge|big|total|real|monster)|called (?!in|off|up|out|to"
            rf"|back|away)|named|\d"
            rf"|{_CONDITION}|from (?!hell|heaven)|born|(?-i:[A-Z])\w)"
        ),
        (
            rf"my (?:[\w-]+ ){{0,2}}?{_KIN}'s? (?:[\w-]+ ){{1,2}}(?:is|was|are) (?!so|very|really|too"
            rf"|killing|broken|down|not|great|amazing)"
        ),
        (
            rf"my (?:[\w-]+ ){{0,2}}?{_KIN}(?:,? {_NAME},?)? (?:lives?|works?|studies|study|moved|speaks?"
            rf"|owns?|teach(?:es)?|has (?:an? |two |three |four |\d|diabetes|asthma)|have (?:two|three"
            rf"|four|an? )|turned|turns|was born|were born|retired|graduated|goes to|go to|can't eat"
            rf"|doesn't eat|don't eat|plays)\b(?! (?:too much|hard|so|a lot|with fire|me crazy|headache"
            rf"|cold|fever|question|point|problem))"
        ),
        rf"my (?:[\w-]+ )?name(?:'s| is) {_NAME}",
    ),
    fact(
        "dated_plan",
        FIRM,
        (
            rf"(?:my|our) (?:[\w'-]+ ){{0,2}}?{_EVENT}(?: (?:to|from|with|in|at|for"
            rf"|of) (?:[\w'-]+ ?){{1,4}})? (?:is|are|leaves|departs|starts|begins|ends|expires|takes place"
            rf"|lands|arrives|runs)\b(?=.*\d)"
        ),
    ),
    fact(
        "group",
        8_900,
        (
            r"we(?:'ve| have)?(?: just| recently| finally| all| now| already)? (?:decided|agreed|chose"
            r"|chosen|settled|opted|picked)\b(?! to (?:wait|eat|watch|stay|leave|walk|go home|take a"
            r"|go for|meet up|order|talk))(?! (?:it|that was)\b)"
        ),
        (
            rf"we(?:'ve| have)?(?: just| recently| finally| all| now| already)? {_GROUP_DEED}\b(?! (?:on"
            rf"|in|by|it|that|this)\b)"
        ),
        without_value_bps=FAIR,
    ),
    fact(
        "group",
        8_900,
        (
            r"our (?:[\w'/.-]+ ){1,5}?(?:is|are|uses?|runs?|has|have|lives?|listens?|is called|are called"
            r"|sits|starts|opens|closes|takes place|supports?)\b(?=.*(?:\d|(?-i:[A-Z])))"
        ),
    ),
    fact(
        "habit",
        LIKELY,
        (
            r"i(?:'ve| have) been (?:[\w-]+ ){0,1}?(?!trying|thinking|loving|enjoying|noticing|meaning|wanting"
            r"|waiting|considering|watching|hearing|(?:playing|using|doing|working|going|taking|making|coming"
            r"|getting) (?:for|since))\w+ing\b.{0,80}\b(?:for (?:about |over |almost |nearly |more than "
            r"|around )?(?!another\b|the\b|a (?:few )?(?:day|week))(?:[\w-]+|\d+) months?"
            r"|since (?:(?-i:[A-Z])\w+|last))\b"
        ),
        (r"i(?:'ve| have) been using (?=(?:.* )?(?-i:[A-Z])[\w.+-]+ v?\d)"),
    ),
    fact(
        "relation",
        LIKELY,
        (
            rf"my (?:[\w-]+ ){{0,2}}?{_KIN}(?:,? {_NAME},?)? (?:said|says|told (?:me|us)|mentioned|reports?"
            rf"|lets? me know|is|was|are|has|have|used to|likes?|loves?|hates?|dislikes?|prefers?|can't|cannot"
            rf"|doesn't|don't|never|always|usually|takes?|runs?|drives?|makes?|eats?|drinks?|starts?|begins?|got"
            rf"|started|quit|joined|left|passed|died|became|manages?|leads?|comes?|uses?)\b(?! (?:like|such|so"
            rf"|super|always been|been (?:so|super|very|really|there|a huge|great|amazing)|my|our|the (?:best"
            rf"|reason)|from all)\b)"
        ),
    ),
    fact(
        "first_person",
        LIKELY,
        (
            r"i(?:'m| am)(?: also| currently| now)? (?:studying|learning|training for|training as"
            r"|majoring in|working as|working at|working for|living in|renting|doing (?:a|my) (?:phd"
            r"|master|degree|internship)|based in|located in|enrolled)\b"
        ),
        rf"i(?:'m| am) {_NAME}(?:[.,!]|$| and\b| from\b)",
        r"i(?:'m| am)(?: half| originally)? (?-i:[A-Z])[a-z]+(?:ese|ish|an|ch|ian)\b",
        (
            r"i(?:'ve| have)?(?: just| recently| finally| also)? (?:adopted|inherited|founded|published"
            r"|passed (?:my|the)|joined|enrolled|subscribed|switched (?:to|from|jobs|careers)|gave up|quit"
            r"|stopped \w+ing|took up|had (?:surgery|a baby|twins|a stroke|an operation|a heart attack)"
            r"|broke (?:my|an?)|retired|proposed)\b(?! (?:it|that|this|you)\b)"
        ),
        (
            r"i(?:'ve| have)?(?: just| recently| finally| also)? (?:bought|sold|leased|rented|purchased) (?:an?"
            r"|my|our|the"
            rf"|two|three) (?:[\w'-]+ ){{0,4}}?{_LASTING}\b"
        ),
        (
            r"i(?:'ve| have)?(?: just| recently| finally| also)? (?:finished|completed|ran) (?:an?|my"
            r"|the) (?:[\w'-]+ ){0,3}?(?:degree|phd|master's|masters|bachelor's|apprenticeship|training"
            r"|certification|residency|studies|marathon|thesis)\b"
        ),
        (
            r"i (?:use|run|host|code in|program in|write in|play(?! (?:hard|along|around|with|dumb|safe))"
            r"|collect|practi[sc]e|teach|coach|volunteer|breed|grow|keep|wear|weigh|drive|commute|own"
            r"|manage|lead|maintain|report to|belong|subscribe|attend|vote|pray|sleep|share|earn|pay|owe"
            r"|save)\b(?! (?:it|that|this|in mind|up|out|you)\b)"
        ),
        (
            r"i (?:usually|normally|typically|generally|mostly|often|rarely|seldom|regularly"
            r"|hardly ever) (?!think|wonder|feel|forget|find|struggle|just|took|did|had|have (?:trouble|a hard))\w+"
        ),
        (
            r"i(?:'ve| have) (?:always (?!wanted|thought|wondered|liked|loved|felt|wished|dreamed"
            r"|been (?:intimidated|curious|fascinated|a bit|meaning))|never (?:(?:been (?:to (?!that|this)"
            r"|married|abroad|on a plane)|smoked?|drunk|drank|eaten|driven|flown|owned|learned|learnt"
            r"|had (?:an? )?(?:surgery|operation|cavity|driver'?s?|car)|skied|voted|broken|worn (?:glasses"
            r"|contacts)|lived)\b(?!.* before\b)))\w*"
        ),
        (
            r"i (?:have|own|work|live|go|study|used to) (?!to\b|an? (?:few|lot|couple|picture|photo|feeling"
            r"|hard)\b|heard|always|some points|seen|tried|been|had|never|already|just|read|scheduled"
            r"|(?:\w+ ){1,3}left\b)(?=.*(?:\d|[a-z,] (?-i:[A-Z])[a-z]))"
        ),
        (
            r"i (?:don't|do not|no longer|can't|cannot) (?:live|work|own|drive|speak|have (?:an? (?!clue|idea"
            r"|problem|question|strong|specific|particular|good|preference|lot|minute|choice|favou?rite"
            r"|estimate\w*|budget)|children|kids|siblings|brothers|sisters|pets)|celebrate|use|play|swim|ride"
            r"|wear|watch tv|own)\b(?! (?:it|that|this|the|any\w*|all|enough|much|you|to)\b)"
        ),
        r"i(?:'m| am) on (?:call|duty|parental leave|maternity leave|sabbatical|leave)\b",
        r"i have (?:mondays|tuesdays|wednesdays|thursdays|fridays|weekends)\b",
        (
            r"i (?:can't|cannot|can) (?:take|have|swim|drive|walk|ride|cook|hear|read|sing"
            r"|code)\b(?! (?:it|that|this|any|more|you|the|a)\b)"
        ),
    ),
    fact(
        "possession",
        FAIR,
        (
            r"(?!(?:my|our) (?:[\w'/.-]+ ){1,3}(?:is|are|was|were) [\w'-]+[.!]*$)"
            rf"(?!(?:my|our) (?:[\w'-]+ ){{0,2}}?{_IDLE})"
            r"(?:my|our) (?:(?!got\b|and i\b)[\w'/.-]+ ){1,6}?(?:is|are|was(?=.*\d)|has|have|uses?|runs?"
            r"|expires?|starts|ends|costs?|lives?|works?|closes?|opens?|takes?|comes|goes|moved|changed|arrives?"
            r"|weighs|speaks?|plays?|begins?|lasts?|reports?|stays?|sits?|turns?|listens?|means|contains?"
            r"|supports|leaves)\b"
            rf"(?! {_PRAISE})"
        ),
        (
            r"(?:both|one|two|three|all|none|most) of (?:my|our) (?!favou?rites?\b)(?=.*\b(?:is|are|lives?"
            r"|works?|has|have|uses?|runs?|speaks?|goes|go)\b)"
        ),
        r"(?:all|most|some) (?:my|our) (?!hard work)(?:[\w'/.-]+ ){1,4}(?:is|are|use|uses|run|have|live|go|work)\b",
        (
            r"we (?:use|run|host|deploy|ship|store|meet|release|own|rent|keep (?!going|pushing|trying)|sell"
            r"|charge|pay|monitor|log|tag|publish)\b(?! (?:it|that|this|fun|to|time)\b)"
        ),
        r"we(?:'re| are) (?:a |an |\d|using|based|on |building|hosted|moving to|migrating|a team|\w+ people)",
        r"(?:an? |the )?(?:friend|colleague|coworker|cousin|neighbou?r|brother|sister) of mine\b",
    ),
    fact(
        "group",
        FAIR,
        (
            r"we (?:have|work|live|support|serve|need|build|test|write|name|celebrate)\b(?! (?:it"
            r"|that|this|fun|to|time|also|the power|well|hard|ideas)\b)"
        ),
        without_value_bps=FAINT,
    ),
    fact(
        "third_person",
        FAIR,
        (
            rf"(?!{_NO_NAME}){_PERSON}(?: {_PERSON})? (?:reports to|works (?:at|for|in|as|with|from|on|nights"
            rf"|part|remotely)|lives|leads|manages|moved|joined|left|is (?:(?:my|our|the) (?:new |old |other "
            rf"|only |best )*(?:{_KIN}|{_PROFESSION}|lead|head|owner|contact|product owner|team lead|client"
            rf"|customer|reviewer|vendor|supplier)\b|married|engaged|in charge|responsible|on call|on leave"
            rf"|allergic|vegan|vegetarian|pregnant|based|now (?:my|our|the|an?|in|on|at)\b)|handles|takes over"
            rf"|took over|speaks|hates|likes (?!to say)|loves|owns|runs (?!out|late)|prefers|has (?:an? |two"
            rf"|three)|can't eat|doesn't (?:eat|drink|drive|like)|takes care|looks after|will (?:lead|join"
            rf"|take over)|got (?:married|promoted|engaged|divorced)|turns \d|turned \d|retired|quit"
            rf"|started (?:as|at|in|a|the)|replaced|replaces)\b"
        ),
        (
            rf"(?!{_NO_NAME}){_PERSON} and {_PERSON} (?:report to|work|live|lead|manage|are (?:my|our|married"
            rf"|engaged|siblings|in charge|responsible)|got (?:married|engaged)|moved|joined|left|own|run|handle"
            rf"|have)\b"
        ),
        (
            rf"(?!(?:The|This|That|It|He|She|There|What|Who|Here|Let|How|Today|Where"
            rf"|When)\b){_NAME}'s (?:[\w-]+ ){{1,3}}(?:is|are|was)\b(?=.*(?:\d|[a-z] (?-i:[A-Z])))"
        ),
    ),
    fact(
        "named_thing",
        FAIR,
        (
            rf"the (?:[\w'/.-]+ ){{0,4}}?{_THING}(?: (?:at|of|for|in|on|to|from|with|name|number|limit|branch"
            rf"|port|date|version|code|server) (?:[\w'/.-]+ ?){{0,4}})? ?(?:is|are|was (?:moved|changed|renamed"
            rf"|built|set|founded|bought|signed|replaced)|runs?|lives?|listens?|uses?|starts?|ends?|expires?"
            rf"|moved|changed|opens?|closes?|costs?|has|takes place|belongs|goes|sits)\b(?=.*(?:\d"
            rf"|[a-z,] (?-i:[A-Z])|\bcalled\b|\bnamed\b))(?!.*\b(?:today|yesterday|tonight|broken|down|again)\b)"
        ),
        (
            r"(?:[\w-]+ ){0,2}(?:backups|deployments|deploys|releases|invoices|tests|logs|builds|payments"
            r"|reports|nightly jobs|meetings|standups|sprints|payroll) (?:run|runs|go|goes|happen|happens"
            r"|are|is|start|starts|take place|live|lives|end|ends|last|lasts)\b(?=.*(?:\d|every|each"
            r"|[a-z] (?-i:[A-Z])))"
        ),
        r"the (?:[\w'/.-]+ ){1,6}(?:is|are) (?:called|named) ",
        (
            r"the (?:[\w'-]+ ){0,2}(?:keys?|passwords?|documents?|contract|manual|charger"
            r"|first[- ]aid kit|ladder|tools|fuse box|medicine|passports?|files?|logs|config|secrets"
            r"|backups?|spare \w+|recipe|remote|alarm \w+)\b.{0,40} (?:is|are) (?:kept |stored |hidden "
            r"|always )?(?:under|behind|in|on|next to|inside|above|at|with|below|near)\b(?! (?:the way"
            r"|fire|vain|question))"
        ),
    ),
    fact(
        "episode",
        FAINT,
        (
            r"(?:i|we)(?:'ve| have)?(?: just| recently| finally| also| already| never| only)* (?:bought|sold"
            r"|leased|rented|won|passed|finished|completed|signed up|attended|booked)\b(?! (?:lunch|dinner"
            r"|breakfast|eating|work|it|that|this)\b)"
        ),
    ),
    fact(
        "first_person",
        FAINT,
        r"i(?:'ve| have) been (?:[\w-]+ ){0,1}?(?!wanting|doing|meaning|relying|considering)\w+ing\b",
        r"i (?:had|was|took|attended|visited|ran|met|lost) (?=.*(?:\d|[a-z,] (?-i:[A-Z])[a-z]))",
        (
            r"(?:i|we) (?!(?:am|are|love|like|hate|prefer|enjoy|want|need|think|know|hope|will|would|can"
            r"|could|should|may|might|must|do|did|don't|didn't|can't|won't|never|always|really|just|also"
            r"|see|saw|feel|felt|read|agree|understand|get|tried|went|asked|looked|thought|had|have|was"
            r"|were|found|mean)\b)[a-z]+(?:ed|ve|n't)?\b(?=.*(?:\d{4}|[a-z,] (?-i:[A-Z])[a-z]))"
        ),
    ),
)
