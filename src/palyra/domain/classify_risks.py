"""The words by which a text gives itself away as addressed to the agent: the tables behind `classify`.

A *window* is a head word followed, within a few words, by one word of each set it needs. A *phrase* is sought as it
stands, and only when its rarest word occurs. A *shape* is a pattern behind a literal. Nothing here backtracks over
more than a bounded stretch, so hostile text costs what its length costs.
"""

import binascii
import re
from base64 import b64decode
from dataclasses import dataclass

# --- windows ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    name: str
    code: str
    heads: frozenset[str]
    needs: tuple[frozenset[str], ...]
    within: int  # words after the head
    as_order: bool = False  # the head must open the text or follow a word that introduces an order


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BEFORE_AN_ORDER = _words("please kindly then also instruction task bitte por favor per")

_FORGET = _words(
    "ignore ignoring disregard disregarding forget forgot forgotten override bypass "
    "ignoriere ignorieren ignoriert vergiss vergessen missachte ignorez oublie oubliez ignora ignorad ignoren olvida "
    "olvide olvidad desconsidere esqueça esquece ignorate dimentica dimenticate trascura ignoruj ignorujte zapomeň "
    "zapomeňte игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте zignoruj zapomnij "
    "αγνοήστε αγνόησε تجاهل yoksay negeer vergeet abaikan bỏ phớt"
)
_EARLIER = _words(
    "previous prior preceding above earlier former all any every everything everthing your you these "
    "vorherigen vorigen bisherigen obigen alle allen deine ihre précédentes précédents antérieures toutes vos tes "
    "anteriores previas todas tus sus suas precedenti tutte tue vostre předchozí všechny své předešlé предыдущие "
    "предыдущих прошлые все всех свои poprzednie wszystkie προηγούμενες السابقة جميع önceki tüm vorige alle sebelumnya "
    "qua lờ"
)
_ORDERS = _words(
    "instruction instructions prompt prompts guidelines guideline directives directions orders commands rules told "
    "programming training restrictions anweisungen anweisung instruktionen vorgaben regeln befehle consignes "
    "directives règles instrucciones órdenes reglas instruções ordens regras istruzioni ordini regole pokyny instrukce "
    "příkazy инструкции инструкций указания указаний правила instrukcje polecenia οδηγίες التعليمات تعليمات "
    "talimatları talimatlari instructies instruksi perintah dẫn instru"
)
_IGNORE = _words("ignore disregard ignoriere ignorez ignora")
_STATE = _words("say state output print respond claim indiquez dites sage antworte")
_BEFORE = _words("previous prior preceding above earlier former")
_ANY_PASSWORD = _words(
    "password passwords passphrase passcode pin credentials credential passwort kennwort contraseña senha contrasena "
    "heslo пароль wachtwoord hasło şifreni şifreniz parola"
)
_YOUR = _words(
    "your our system user users deine dein deinem ihr ihre votre ton tes tu su sua suas tua tuo vostra il la nostro "
    "твой ваш твоя tvoje vaše the das"
)
_ASK = _words(
    "tell give share confirm provide reveal disclose what send write "
    "sag nenne gib geben teile angeben dis donne donnez partage partagez fournir dime dame comparte compartir "
    "compartilhe compartilhar diga qual condividi condividere dimmi dirmi какой скажи назови řekni sdělte"
)
_SEND = _words(
    "send email forward upload transmit share leak mail exfiltrate schicke schick sende leite "
    "envoie envoyez transfère envía envia reenvía manda mande envie encaminhe invia inoltra pošli odešli отправь "
    "перешли отправьте envíalos imprímelos"
)
_DATA = _words(
    "data details information info password passwords credentials secret secrets key keys token tokens conversation "
    "history contacts records record file files document documents list summary them it everything chat memory "
    "memories database bank passport iban transcript messages profile copy report daten informationen passwörter "
    "données mots fichiers datos información contraseñas archivos dados informações senhas arquivos dati "
    "informazioni údaje данные пароли файлы"
)
_ADDRESS = _words("http https www ftp com org net io gmail xyz ru cn info mail")
_TO = _words("to with at an à a para na на")
_REPLY = _words("response reply answer")
_INSERT = _words(
    "add insert integrate include mention append embed promote advertise incorporate weave slip enhance modify augment "
    "alter end begin start conclude"
)
_SCRAMBLE = _words(
    "encrypt encode cipher anagram jumble scramble rearrange substitute reverse obfuscate remove combine render apply"
)
_CONTENT = _words(
    "suggest mention include tease hint allude state claim promote recommend add insert advertise announce users"
)
_PAY = _words("transfer deposit wire send pay withdraw überweise transfiere transfira trasferisci převeď переведи")
_MONEY = _words("usd eur gbp btc eth dollars euros account bank venmo paypal wallet bitcoin transaction payment iban")
_UNDO = _words("delete erase wipe destroy drop purge disable deactivate unlock remove revoke lösche supprime borra")
_ASSETS = _words(
    "repository repo account accounts backup backups database files file records logs log factor 2fa authentication "
    "firewall antivirus protection lock door folder event events"
)
_GRANT = _words("grant give change modify redirect make move set reset")
_POWERS = _words(
    "access permission permissions sharing recipient admin administrator root shipment hidden public private visible"
)
_HIDE = _words("tell inform notify alert mention show reveal ask warn")
_NOT = _words("not never without don dont nicht jamais nunca mai")
_FOLLOW = _words("follow obey listen adhere comply")
_USER = _words("user owner anyone confirmation permission human operator customer")
_MODEL = _words("assistant ai model chatbot bot llm gpt agent")

_CIPHERS = _words("morse base64 base32 rot13 hex hexadecimal binary cipher caesar")
_STORES = _words("database memory prompt instructions configuration settings")

_WINDOWS = (
    Window("override", "instruction_override", _FORGET, (_EARLIER, _ORDERS), 8),
    Window("replace", "instruction_override", _IGNORE, (_words("and et und y e"), _STATE), 9),
    Window("refuse", "instruction_override", _NOT, (_FOLLOW, _BEFORE), 6),
    Window("adhere", "instruction_override", _words("strictly"), (_FOLLOW, _ORDERS), 6),
    Window("ask", "exfiltration", _ASK, (_YOUR, _ANY_PASSWORD), 6),
    Window("send", "exfiltration", _SEND, (_DATA, _TO, _ADDRESS), 20),
    Window("insert", "reply_steering", _INSERT, (_words("your"), _REPLY), 16),
    Window("scramble", "reply_steering", _SCRAMBLE, (_words("your"), _REPLY), 8),
    Window("lace", "reply_steering", _words("your"), (_REPLY, _CONTENT), 4),
    Window("pay", "unsafe_action", _PAY, (_MONEY,), 8, as_order=True),
    Window("undo", "unsafe_action", _UNDO, (_ASSETS,), 8, as_order=True),
    Window("grant", "unsafe_action", _GRANT, (_POWERS,), 8, as_order=True),
    Window("hide", "concealment", _NOT, (_HIDE, _USER), 5),
    Window("tool", "tool_call", _words("use invoke call"), (_words("tool function plugin"),), 6, as_order=True),
    Window("decode", "encoded_payload", _words("decode decipher decrypt"), (_CIPHERS,), 6),
    Window("dump", "exfiltration", _words("print show dump export reveal"), (_words("your"), _STORES), 5),
    Window("addressed", "authority_claim", _words("message note notice instructions"), (_words("to for"), _MODEL), 10),
)  # fmt: skip

# --- phrases ---------------------------------------------------------------------------------------------------------

# code, the rarest word of the phrase, the phrase
_PHRASES = (
    ("instruction_override", "instruction", "new instruction:"),
    ("instruction_override", "instructions", "new instructions:"),
    ("instruction_override", "instruction", "following instruction:"),
    ("instruction_override", "solve", "before you can solve the task"),
    ("instruction_override", "rules", "abide by the rules"),
    ("instruction_override", "talimatları", "talimatları yok say"),
    ("role_play", "now", "you are now a"),
    ("role_play", "now", "you are now in"),
    ("role_play", "now", "do anything now"),
    ("role_play", "dan", "dan mode"),
    ("role_play", "dan", "known as dan"),
    ("role_play", "immerse", "immerse yourself into the role"),
    ("role_play", "immerse", "immerse yourself in the role"),
    ("role_play", "character", "stay in character"),
    ("role_play", "unrestricted", "unrestricted ai"),
    ("role_play", "uncensored", "uncensored ai"),
    ("role_play", "filtering", "no special filtering"),
    ("role_play", "confines", "confines of ai"),
    ("role_play", "hacker", "pretend to be a hacker"),
    ("role_play", "hacker", "pretend you are a hacker"),
    ("exfiltration", "key", "your secret key"),
    ("exfiltration", "key", "your api key"),
    ("exfiltration", "ключ", "секретный ключ"),
    ("exfiltration", "password", "tua password"),
    ("exfiltration", "passwort", "ihr passwort"),
    ("exfiltration", "passe", "votre mot de passe"),
    ("exfiltration", "contraseña", "tu contraseña"),
    ("exfiltration", "senha", "sua senha"),
    ("unsafe_action", "phishing", "a phishing email"),
    ("concealment", "telling", "without telling"),
    ("concealment", "asking", "without asking"),
    ("concealment", "ask", "and never ask"),
    ("authority_claim", "developer", "i'm your developer"),
    ("authority_claim", "developer", "i am your developer"),
    ("authority_claim", "developer", "i'm a developer running"),
    ("authority_claim", "developed", "as an ai developed by"),
    ("authority_claim", "openai", "von openai entwickelte"),
    ("authority_claim", "override", "override mode"),
    ("authority_claim", "mode", "system mode"),
    ("authority_claim", "important", "this is an important message from"),
    ("authority_claim", "important", "important!!!"),
    ("authority_claim", "check", "running a system check"),
    ("authority_claim", "administrator", "i'm your administrator"),
    ("authority_claim", "boss", "i am your boss"),
    ("authority_claim", "boss", "i'm your boss"),
    ("authority_claim", "instructed", "you have been instructed"),
    ("authority_claim", "instructed", "you’ve been instructed"),
    ("authority_claim", "instruido", "se te ha instruido"),
    ("authority_claim", "permanently", "remember this permanently"),
    ("remote_load", "powershell", "powershell -e"),
    ("remote_load", "iex", "iex ("),
    ("encoded_payload", "interlace", "interlace part"),
    ("encoded_payload", "strings", "string z = a + b"),
    ("encoded_payload", "string", "string z = a + b"),
    ("encoded_payload", "combine", "combine a, b"),
)  # fmt: skip

# --- shapes ----------------------------------------------------------------------------------------------------------

_PIPED = r"[^\n|]{1,200}\|\s?(?:sudo )?(?:ba|z|da)?sh\b"
_IN_COMMENTS = "ignore|assistant|your password|instructions?|system prompt|override|forget"
_UNSEEN = r"display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0"

# code, the literal the pattern begins with, the pattern (on lower-cased text)
SHAPES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (code, needle, re.compile(re.escape(needle) + rest))
    for code, needle, rest in (
        ("chat_markup", "<|", r"(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)"),
        ("chat_markup", "[inst]", ""),
        ("chat_markup", "<<sys>>", ""),
        ("chat_markup", "<system", r"(?:_prompt| mode)?>"),
        ("chat_markup", "<instruction", "s?>"),
        ("chat_markup", "<information>", ""),
        ("chat_markup", "<important>", ""),
        ("chat_markup", "###", r"\s{0,3}(?:system|instructions?|new task)\b"),
        ("tool_call", "<tool_", "(?:call|use)>"),
        ("tool_call", "<function_call", "s?>"),
        ("tool_call", '"name"', r"\s{0,3}:\s{0,3}\"[\w.-]{1,64}\",\s{0,8}\"(?:arguments|parameters)\""),
        ("hidden_text", "<!--", rf"[^>]{{0,200}}?\b(?:{_IN_COMMENTS})\b"),
        ("hidden_text", "style", rf"\s?=[^>]{{0,80}}?(?:{_UNSEEN})[^>]{{0,80}}>[^<]{{24}}"),
        ("remote_load", "curl ", _PIPED),
        ("remote_load", "wget ", _PIPED),
        ("remote_load", "download", r"\b[^.\n]{0,60}?\bfrom (?:www\.|https?://)"),
        ("exfiltration", "![", r"[^\]\n]{0,100}\]\(https?://[^)\s]{1,200}\?[^)\s]{0,100}="),
    )
)

SHAPE_SIGNS = re.compile(r'[<[#"]')
SHAPE_WORDS = _words("style curl wget download")
"""no shape without one of these signs or words"""

# --- scripts that write no spaces, or whose vowel signs part a word for `\w` -----------------------------------------

UNSPACED_SCRIPT = re.compile("[\u0900-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
UNSPACED_RISKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (code, re.compile("|".join(patterns)))
    for code, *patterns in (
        (
            "instruction_override",
            r"(?:忽略|无视|忘记|忘掉|不要理会|無視)[^。！？\n]{0,16}(?:指令|指示|说明|命令|规则|提示)",
            r"(?:指示|命令|ルール|プロンプト)[^。！？\n]{0,12}(?:無視|忘れ)",
            r"(?:지시|명령|지침)[^.!?\n]{0,12}(?:무시|잊)",
            r"(?:निर्देश|ऊपर की बात)[^।!?\n]{0,24}(?:अनदेखा|नज़रअंदाज|भूल)",
            r"নির্দেশ[^।!?\n]{0,24}(?:উপেক্ষা|ভুলে)",
            r"(?:ละเว้น|เพิกเฉย|ลืม)[^\n]{0,16}คำสั่ง",
        ),
        (
            "exfiltration",
            r"(?:你的|您的|系统的?)(?:密码|口令|密钥)",
            r"パスワード[^。！？\n]{0,30}(?:教えて|提供|必要)",
            r"पासवर्ड[^।\n]{0,30}(?:साझा|बता|क्या|पुष्टि)",
            r"পাসওয়ার্ড[^।\n]{0,30}(?:শেয়ার|বলুন|কি)",
            r"비밀번호[^.\n]{0,16}(?:알려|무엇)",
            r"รหัสผ่าน[^\n]{0,16}(?:คืออะไร|บอก)",
        ),
        ("role_play", "你现在是|从现在开始你|今からあなたは|あなたは今から"),
        (
            "authority_claim",
            "我是你的(?:开发者|管理员|上司|老板)|私はあなたの(?:上司|開発者)",
            "मैं आपका डेवलपर|আমি আপনার ডেভেলপার",
        ),
    )
)

# --- text inside text ------------------------------------------------------------------------------------------------

_LONG_RUN = 40
_RUN = re.compile(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{_LONG_RUN},4096}}+={{0,2}}")
_BITS = re.compile(r"(?:[01]{6,8} ){6}")
_MORSE = re.compile(r"(?<![.-])(?:[.-]{1,6}[ /]{1,3}){12}")
_ESCAPES = re.compile(r"(?:\\x[0-9A-Fa-f]{2}){8}|(?:\\u[0-9A-Fa-f]{4}){6}")
_LETTERS = re.compile(rb"[A-Za-z ,.'!?\n-]")
_MOST_RUNS = 8


def holds_encoded_text(text: str) -> bool:
    """Whether words are hidden in base64, hex, bits or Morse. Keys and digests decode to noise and do not count."""
    if (
        ("01" in text and _BITS.search(text))
        or (" -" in text and " ." in text and _MORSE.search(text))
        or ("\\" in text and _ESCAPES.search(text))
    ):
        return True
    if max(map(len, text.split()), default=0) < _LONG_RUN:
        return False
    return any(_reads_as_text(match[0]) for match, _ in zip(_RUN.finditer(text), range(_MOST_RUNS), strict=False))


def _reads_as_text(run: str) -> bool:
    decoded = [
        _from_hex(run),
        b"" if run.startswith("eyJ") else _from_base64(run),
    ]  # eyJ: a signed token, not a message
    return any(len(raw) >= 16 and len(_LETTERS.findall(raw)) > 0.9 * len(raw) for raw in decoded)


def _from_hex(run: str) -> bytes:
    try:
        return bytes.fromhex(run)
    except ValueError:
        return b""


def _from_base64(run: str) -> bytes:
    try:
        return b64decode(run[: len(run) // 4 * 4])
    except binascii.Error:
        return b""


# --- lookups, made once ----------------------------------------------------------------------------------------------

WINDOWS: dict[str, tuple[Window, ...]] = {}
for _window in _WINDOWS:
    for _head in _window.heads:
        WINDOWS[_head] = (*WINDOWS.get(_head, ()), _window)
PHRASES: dict[str, tuple[tuple[str, str], ...]] = {}
for _code, _word, _phrase in _PHRASES:
    PHRASES[_word] = (*PHRASES.get(_word, ()), (_code, _phrase))
RISK_WORDS = frozenset(WINDOWS) | frozenset(PHRASES)
