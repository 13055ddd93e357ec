"""English: what is not said in earnest, how sentences begin, and the rules of the two modules beside this one."""

from palyra.domain.learning.rules.language import Language, either, words
from palyra.domain.learning.rules.languages.english_facts import FACTS
from palyra.domain.learning.rules.languages.english_preferences import PREFERENCES

_POLITE = (
    r"(?:please,? |pls |kindly |hey,? |ok(?:ay)?,? |now |(?:can|could|would|will) you (?:please )?|i (?:want"
    r"|need|would like) you to |i'd like you to |help me |let's )*"
)
_MADE = (
    r"(?:stor(?:y|ies)|poems?|haiku|songs?|lyrics|jokes?|dialogues?|scripts?|novels?|scenes?|tales?|fan ?fic\w*"
    r"|plays?|monologues?|limericks?|screenplays?|skits?|sketch(?:es)?|fiction|role-?play\w*)"
)
_TEXTS = (
    r"(?:e-?mails?|letters?|tweets?|posts?|essays?|bios?|biograph\w+|speech(?:es)?|sentences?|messages?"
    r"|captions?|blogs?|examples?|reviews?|reports?|statements?|paragraphs?|notes?|texts?|summar\w+|intro\w*"
    r"|résumé|resume|cv|ads?|toasts?)"
)
_SELF = r"(?:i'm|i am|im|we're|we are)"
_MOOD = (
    r"(?:tired|hungry|thirsty|starving|bored|sleepy|exhausted|busy|late|sorry|sure|happy|glad|sad|angry|mad"
    r"|upset|ok|okay|fine|good|great|well|here|back|home|done|ready|stuck|lost|confused|curious|excited|nervous"
    r"|worried|afraid|scared|cold|hot|sick|ill|drunk|hung ?over|jealous|proud|grateful|thankful|impressed"
    r"|surprised|shocked|amazed|interested|wondering|looking|trying|thinking|hoping|planning|going|about|just"
    r"|on my way|on it|in a (?:meeting|call|hurry|rush)|in the (?:middle|car|office|mood|kitchen|garden)"
    r"|at (?:the|lunch|work)|having|getting|feeling|writing|reading|dying|dead|kidding|joking|waiting"
    r"|working (?:on|from)|running (?:late|out)|stressed|overwhelmed|swamped|frustrated|annoyed|lucky|blessed"
    r"|aware|able|unable|all (?:ears|set|in)|with you|right|wrong|seeing|using this|asking|doing|freezing"
    r"|burning|melting|full|broke|speechless|in love|in trouble|in pain|so|too|the (?:worst|best|queen|king"
    r"|boss))"
)

ENGLISH = Language(
    code="en",
    markers=words(
        """per the a an is are am was were i i'm i've i'd my we our you your it's it this that and or
        but not of to in on at
        for with from as be been have has had do does did don't can can't will would should could please what when
        where who how why which he she they his her their never always me
        no come let met uses solo war die son drink pro ten soy van let's i'll every each after before until
        because about use by if so only than then there call starts works lives work live every"""
    ),
    openers=either(
        r"(?:(?:and|but|so|also|btw|by the way|fyi|well|oh|hi|hello|hey|ok|okay|yes|yeah|yep|sure|ah|hm+"
        r"|just so you know|for context|for the record|for reference|as you know|in fact|to be clear|thanks"
        r"|thank you|good morning|unfortunately|luckily|fortunately|honestly|frankly|anyway|additionally|plus"
        r"|nope|no"
        r"|because|since|first(?: of all)?|one more thing|p\.?s\.?|note)(?:[,:;!.–—-]+ ?| )){1,4}",
        (
            r"(?:on|in|at|for|during|after|before|last|(?:every|each)(?! time)|these days|nowadays"
            r"|outside)(?! (?:this|our|my|the) (?:team|company|house|repo|family"
            r"|office)\b)(?: [\w'-]+){0,4},? (?=(?:i|we|my|our)\b)"
        ),
    ),
    clause=either(
        r"[,;:] ?(?:(?:and|but|so|because|since|as|also|plus|though|which is why) )?",
        r" (?:[–—-]+|and|but|because|since|so) ",
    ),
    reminds=either(
        r"(?:please,? |and |also,? )?(?:remember|(?:make a |take )?note|keep in mind|bear in mind|don't forget"
        r"|do not forget|make sure you remember|for (?:the|your) records?|for future reference|fyi"
        r"|just so you know)(?:,? please)?"
        r"(?:(?: this| that)?: ?|, | that (?!time|day|one|night|guy)| (?=my|our|the|i|i'm|we|all|every|invoices?\b))",
        (
            r"(?:please )?remember (?=(?:[\w'-]+ ){1,4}(?:is|are|has|have|goes|go|lives|works|runs"
            r"|needs)\b)(?!when|how|what|if|the time|to\b|me\b)"
        ),
    ),
    corrects=either(
        r"(?:(?:oh|no|well|sorry|wait|hm+),? )*(?:actually|correction|to correct myself"
        r"|let me correct (?:that|myself)|i misspoke"
        r"|i made a (?:mistake|typo)|my mistake|i was wrong|sorry, i meant|i meant|rather|wrong)[,:;.]? ?",
        r"(?:no|sorry|wait)[,:] (?=(?:it|the|my|our|that|we|i)\b)",
    ),
    negates=either(
        r",? (?:and )?not (?!sure|certain|really|yet|so|very|too)[\w'$€£#-]+",
        r"\binstead of\b",
        r"\bno longer\b",
        r"\banymore\b",
    ),
    states=either(
        r"\b(?:is|are|was|were|has|have|uses?|runs?|lives?|works?|starts?|listens?|moved|means?|goes|go|changed"
        r"|needs?|expires?|costs?|ends?|opens?|closes?|takes?|comes?|leads?|owns?|reports?|manages|sits?|belongs?"
        r"|stays?|keeps?|gets?|got|became)\b",
        r"\w's\b",
    ),
    asks=either(
        r"[?？]\W*$",
        (
            r"^(?:and |so |but |ok,? |hey,? )?(?:what|who|where|when|why|how|which|whose)(?:'s|'re"
            r"|'d)? (?:do|does|did|can|could|would|should|is|are|was|were|am|will|about|many|much|long"
            r"|often|come|if)\b"
        ),
        (
            r"^(?:and |so |but )?(?:can|could|would|will|do|does|did|is|are|am|was|were|should|shall|may"
            r"|might|has|have|had|isn't|aren't|don't) (?:i|you|he|she|it|we|they|the|my|our|your|there"
            r"|this|that|someone|anyone)\b(?! forget)"
        ),
        (
            r"\b(?:i wonder|i'm wondering|i was wondering|wondering (?:if|whether|what|how)|tell me (?:if"
            r"|whether|what|how|why|who|when|where|which)|let me know|do you know|any (?:idea|ideas|tips"
            r"|advice|suggestions|recommendations))\b"
        ),
    ),
    hedges=either(
        (
            r"\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|apparently|hopefully"
            r"|potentially|i think|i guess|i suppose|i believe|i assume|i suspect|i reckon|i imagine"
            r"|i doubt|i hope|i feel like|i'd say)\b"
        ),
        (
            r"\b(?:not|never|n't) (?:be |been |really |entirely |quite |100% )?(?:sure|certain|think"
            r"|know if|know whether|remember|recall)\b"
        ),
        (
            r"\b(?:unsure|no idea|no clue|who knows|might|could be|may well|must be|must have|seems?"
            r"|seemed|i heard|rumou?rs?|rumou?red|likely|unlikely|as far as i know|afaik|iirc"
            r"|if i remember|or something|or so i|kinda|sort of|kind of|considering|debating"
            r"|thinking (?:about|of)|tempted|toying with|someone (?:said|told|mentioned)|they say"
            r"|people say|supposed to|would be nice|one day|some ?day)\b"
        ),
        r"\b(?-i:may) (?:be|have|not|go|move|switch|need|want|start|get|try|use|become)\b",
    ),
    supposes=either(
        (
            r"\b(?:suppose|supposing|imagine|imagining|pretend|pretending|hypothetically|in theory"
            r"|what if|as if|as though|i wish|we wish|if only|were i|had i|let's (?:say|pretend|assume"
            r"|imagine|play)|say (?:i'm|i am|my|we)|assume|assuming|role-?play\w*|for example"
            r"|for instance|e\.g\.|act as|you are (?:a|an|my|the)|you're (?:a|an|my|the)|in a world"
            r"|my character|in character|once upon a time|in my dream|i dreamt|i dreamed|make believe)\b"
        ),
        (
            r"\bin (?:the|this|that|a|my|his|her) (?:novel|book|story|film|movie|game|play|song|show"
            r"|series|scene|dream|chapter|poem|anime|comic|article|video|podcast|text|example|exercise"
            r"|sample)\b"
        ),
        r"\b(?:would|wouldn't)(?! (?:rather|prefer|you))\b",
        (
            r"\b(?:i|we|he|she|they|you|it)'d (?!rather|prefer|better|like (?:you|all|every|answers"
            r"|replies|to be called)|been)"
        ),
        (
            r"^(?:an? |the )?(?:example|sample|quote|title|subject|caption|prompt|input|output|context"
            r"|scenario|dialogue|lyrics?)\b[^:]{0,30}:"
        ),
        (
            r"[,”\"] ?(?:said|says|asked|cried) (?:the|a|an|my)\b|[,”\"] ?(?:he|she|they"
            r"|(?-i:[A-Z])\w+) (?:said|says|wrote|replied|claims|claimed)\W*$"
            r"|\baccording to\b|\b(?:the|this|that|an|one) (?:article|page|website|site|paper|study|report"
            r"|documentation|docs|manual|readme|book|post|review|email|message|error|log|output"
            r"|file) (?:says?|said|states?|claims?|reads?|mentions?|shows?)\b"
        ),
        r"\b(?:you|the (?:assistant|bot|model|ai)) (?:said|mentioned|told|claimed|wrote|suggested)\b",
    ),
    conditions=either(
        r"^(?:[\w']+ ){0,2}(?:if|unless|in case|even if|whether)\b",
        r"[,;] ?(?:if|unless|in case)\b",
        r"\b(?:if|unless|in case|whether) (?:i|we|my|you|it|he|she|they|nothing|something|everything|things|no"
        r"|the|this|that)\b",
    ),
    jokes=either(
        (
            r"\b(?:kidding|joking|jk|lol|lmao|rofl|ha(?:ha)+h?|he(?:he)+|sarcas\w+|yeah,? right|as a joke"
            r"|joke|oh sure|of course not|figuratively|literally|so to speak|april fool\w*"
            r"|pulling your leg|wink)\b"
        ),
        r"[😂🤣😜😉🙃😝]",
        r"(?:^| )/s\W*$|;-?\)|:-?P\b|xD\b",
        (
            r"^(?:oh |wow,? )?(?:great|fantastic|wonderful|perfect|brilliant|lovely|nice|awesome|sure"
            r"|right),? (?:another|just what|more|now|thanks for nothing|because)\b"
        ),
        r"\bjust what (?:i|we)\b|\b(?:queen|king) of england\b|\bmillion (?:times|years)\b",
    ),
    once=either(
        (
            r"\bfor (?:this|that|the next|today|tonight|once|now|the moment|the time being|a (?:moment"
            r"|second|sec|minute|bit))\b(?! (?:project|team|repo|company|year|account))"
        ),
        (
            r"\b(?:just |only )?this (?:once|time|one|answer|reply|response|question|task|message|script"
            r"|file|chat|conversation|sentence|function|email|text|week only)\b(?! (?:of year|zone))"
        ),
        (
            r"\b(?:only|just) (?:today|now|tonight|once|here)\b|\bin this (?:case|example|thread"
            r"|session)\b|\bthe (?:following|above|attached|next) \w+\b|^(?:today|tonight|this (?:morning"
            r"|afternoon|evening)),? "
        ),
        (
            r"\b(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening)|as we speak"
            r"|a minute ago|just now|again)\W*$"
        ),
        (
            r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening))(?:'s)? (?:was|is"
            r"|i'm|we're|were|at|i|we)\b|\b(?:is|was|are|were) (?:today|tonight|cancelled|canceled"
            r"|postponed|delayed)\b"
        ),
        r"\b(?:until|till) (?:tomorrow|tonight|later)\b|\btemporar(?:y|ily)\b",
    ),
    passing=either(
        (
            rf"{_SELF} (?:still |really |very |pretty |a bit |a little |kind of |not |super |absolutely "
            rf"|totally |currently |also )*{_MOOD}\b(?! (?:allergic|a |an |from|married|to (?:nuts"
            rf"|gluten)))"
        ),
        (
            r"i (?:need|want|wanted|have to|had to|must|gotta|got to|should|shall|will|won't|can|could"
            r"|hope|plan|intend|forgot|know|knew|see|saw|understand|understood|agree|get it|mean|feel"
            r"|felt|wonder|wish|bet|swear|promise|think|thought|guess|suppose|tried|try|just (?:want|need"
            r"|wanted|thought|saw|heard|realized|can|feel)|keep|kept|asked|say|said|told you|noticed"
            r"|realized|heard|remember|appreciate|apologi[sz]e|look forward|came across)\b(?!')"
        ),
        (
            r"i'll\b|we'll\b|i'm going\b|we're going\b|i'm gonna\b|let me\b|let's\b|i don't (?:know"
            r"|understand|think|care|mind|get|see|want|need|remember|have (?:time|any|a clue|an idea"
            r"|the))\b|i can't (?:find|see|believe|wait|help|remember|understand|think|get|make|seem"
            r"|figure|do|open|log|access|take it|go|come|sleep)\b"
        ),
        (
            r"i have (?:a|an|some|no|another|one|the|\d+|two|three) (?:more |quick |few |small |big "
            r"|other |bad |simple |terrible |splitting )*(?:question|questions|idea|ideas|problem|issue"
            r"|headache|cold|feeling|favou?r|doubt|request|minute|minutes|moment|meeting|call|bug|error"
            r"|point|clue|fever|hunch|list|file|function|script|class|string|table|dataset|time|plan"
            r"|choice|lot|hangover|deadline|task|text|code|query|problem with)\b"
        ),
        (
            r"i have (?:to|been (?:trying|thinking|wondering|looking|waiting|meaning|feeling|having"
            r"|struggling|searching|hoping|staring|sitting|debugging))\b|i've been (?:trying|thinking"
            r"|wondering|looking|waiting|meaning|feeling|having|struggling|searching|hoping|staring"
            r"|sitting|debugging|hearing|seeing)\b"
        ),
        (
            r"(?:my|our|the) (?:[\w'-]+ ){1,3}?(?:is|are|was|were|keeps?|got|has been|'s) (?:so |really "
            r"|very |too |not |still |all |always |just |already |currently |totally "
            r"|completely )*(?:down|broken|dead|late|sick|tired|here|back|killing|driving|acting|working"
            r"|stuck|slow|full|empty|on fire|out of|busy|asleep|crash\w*|fail\w*|gone|missing|lost"
            r"|annoying|hurt\w*|great|amazing|awesome|good|bad|terrible|horrible|awful|nice|fine|ok|okay"
            r"|right|wrong|angry|mad|upset|happy|sad|excited|ready|done|coming|going|visiting|waiting"
            r"|freezing|burning|ringing|barking|crying|loud|noisy|dirty|messy|a mess|a nightmare"
            r"|a disaster|a joke|not responding|unreachable|offline|online|up|green|red|the best"
            r"|the worst|beautiful|lovely|cute|delicious|funny|fun|interesting|boring|cancelled|canceled"
            r"|unresponsive|racing|pounding|fried|itchy|(?!studying|working|living|moving|training"
            r"|teaching|retiring|expecting|learning|getting married)\w+ing|sore|cold|hot|too|so|charging"
            r"|updating|loading|running (?:late|slow|out)|about to|getting|making me|giving me|being"
            r"|doing|trying|asking|saying|looking)\b"
        ),
        (
            r"(?:my|our) (?:[\w'-]+ ){1,3}?(?:hurts?|aches?|itch(?:es)?|doesn't work|don't work|won't"
            r"|isn't working|stopped working|crashed|froze|just|broke|died|died on me|failed"
            r"|can't (?:wait|stop|believe)|says hi|thinks?|wants?|needs?|hopes?|feels?|seems?|might|may"
            r"|would|could|should|will)\b"
        ),
        (
            r"we (?:need|want|have to|must|should|could|will|can|had fun|had a (?:great|good|nice)|went"
            r"|ate|talked|laughed|hope|think|feel|might|plan|are (?:going|thinking|planning|looking"
            r"|trying|having))\b|we're (?:thinking|planning|looking|trying|having|going)\b"
        ),
    ),
    borrows=either(
        (
            rf"^{_POLITE}(?:translate|rewrite|rephrase|paraphrase|proof-?read|summari[sz]e|sum up"
            rf"|correct (?:this|the|my|these)|edit (?:this|the|my)|fix (?:this|the|my) (?:text|sentence"
            rf"|grammar|spelling|paragraph|email)|transcribe|analy[sz]e|classify|parse|extract"
            rf"|repeat (?:after|this|the)|spell-?check|improve (?:this|my|the)|shorten|expand (?:this|on)"
            rf"|reword|polish|check (?:this|my) (?:text|grammar|sentence|email|essay)|how (?:do"
            rf"|would) (?:you|i) say|convert (?:this|the) (?:text|sentence)|complete (?:this"
            rf"|the) (?:sentence|text|story)|continue (?:this|the)|read (?:this|the following)"
            rf"|review (?:this|my|the)|conjugate|pronounce)\b"
        ),
        (
            rf"^{_POLITE}(?:write|draft|sing|recite|compose|create|generate|tell(?: me)?|make up|invent|give me|do"
            rf"|start|play)\b[^.!?]{{0,60}}\b{_MADE}\b"
        ),
        (
            r"\b(?:pretend|imagine|role-?play\w*|act as|suppose|let's play|let's say|hypothetically"
            r"|you are (?:a|an|my|now|the)|you're (?:a|an|my|now|the)|once upon a time|here(?:'s"
            r"| is) (?:a|an|the|my|some|what) (?:[\w-]+ ){0,3}(?:text|sample|example|story|draft|email"
            r"|letter|essay|paragraph|article|quote|transcript|dialogue|excerpt|post|message|poem|lyrics"
            r"|passage|summary|bio|review|log|output|error|code))\b"
        ),
        r"\bfrom the (?:perspective|point of view|viewpoint) of\b|\bin the (?:voice|style|words) of\b",
        r"^(?:text|sample|example|quote|input|context|article|passage|transcript|email|from|subject|to|scenario)\s*:",
    ),
    drafts=either(
        (
            rf"^{_POLITE}(?:write|draft|compose|create|generate|make|prepare|give me|tell|say|send|type"
            rf"|print|come up with|suggest|reply)\b[^.!?]{{0,60}}\b(?:{_TEXTS}|saying|says|that i|bob|him"
            rf"|her|them|everyone|boss|team)\b"
        ),
        (
            r"^[\w.]{1,40}\(|[{};]\s*$|^(?:def|class|import|const|var|return|select|insert into|curl|git"
            r"|npm|pip|sudo)\b [\w.{(*]+\W*$|^from [\w.]+ import\b|^(?:const|let|var) \w+ ?="
        ),
    ),
    refers=either(
        r"(?:and |but |so )?(?:it|it's|its|this|that(?! (?:[\w'-]+ ){1,4}i (?:mentioned|told|said)\b)|that's"
        r"|these|those|they|they're|he|he's|she|she's|there|there's|them|him|his|her|their|both|neither"
        r"|one of them|the (?:same|latter|former|other))\b(?! of (?:my|our))"
    ),
    affirms=either(r"(?:yes|yep|yeah|yup|indeed|exactly|correct|right|no|nope)\b"),
    trails=either(
        r"[,;–—-]+ ?(?:so |and |but )?(?:please )?(?:keep (?:that|this|it) in mind|remember (?:that|this|it)"
        r"|(?:make a |take )?note of (?:that|this|it)|don't forget(?: that| this| it)?|just so you know|fyi"
        r"|by the way|btw|ok(?:ay)?|thanks|thank you|please|for what it's worth)[.!]*$"
    ),
    rules=PREFERENCES + FACTS,
)
