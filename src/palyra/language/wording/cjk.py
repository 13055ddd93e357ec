"""The same rules for Chinese and Japanese, which do not set words apart: by the one place where the texts differ."""

import re

from palyra.language.wording.text import CJK_NUMERALS, WordedStatement

_NUMBERS = re.compile(rf"[\d{CJK_NUMERALS}半][\d:.,{CJK_NUMERALS}]*")
_DENIALS = re.compile(
    "不|没有|没|別|别|未|不再|不是|从不|并不|从来不|不要|不会|請勿|请勿|ではない|じゃない|ではありません|じゃありません"
)
_DENIED_ENDINGS = {
    ("す", "せん"), ("です", "ではありません"), ("す", "はありません"), ("です", "じゃない"), ("だ", "ではない"),
    ("る", "ない"), ("ある", "ない"), ("い", "くない"), ("いる", "いない"), ("有", "没有"), ("有", "没"),
    ("した", "しなかった"), ("ました", "ませんでした"), ("ってください", "わないでください"), ("て", "ないで"),
}  # fmt: skip
_OPPOSED = """喜欢/讨厌 喜/讨厌 开/关 启/禁 启用/禁用 打开/关闭 前/后 上/下 之前/之后 有/无 开启/关闭 允许/禁止
允许/不允许 增加/减少 好/坏 好/嫌 好き/嫌い 有効/無効 有/無 左/右 開/閉 喜歡/討厭 爱/恨 開始/終了
必须/禁止 高/低 大/小 总是/从不"""
_OPPOSITES = {(a, b) for a, _, b in (pair.partition("/") for pair in _OPPOSED.split())}
_OPPOSITE = _OPPOSITES | {(b, a) for a, b in _OPPOSITES}
_DENIED = _DENIED_ENDINGS | {(b, a) for a, b in _DENIED_ENDINGS}
_HOLDS_ONE = re.compile(
    r"(?:住在|搬到|位于|位於|定在|改到|改为|改成|叫|名叫|叫做|就职于|任职于|(?:名字|地点|时间|地址|端口|生日|密码|电话|价格|版本|"
    r"颜色|职业|职位|城市|负责人|老板|日期|截止日期|截止时间|首都|公司|学校|专业|工作)(?:是|为|在|改为)|的(?!"
    r"上司|下属|同事|[爸妈哥弟姐妹]|父|母|叔|舅|姨|姑|朋友|老师|老公|老婆|丈夫|妻子|儿子|女儿|孩子|[奶爷]|邻居|同学|学生).{1,8}是|"
    r"(?:名前|誕生日|住所|場所|時間|締め切り|締切|値段|電話番号|会議|出身|職業|バージョン|ポート)は).{0,2}\Z"
)
_HOLDS_ONE_AFTER = re.compile(r"(?:に住んで|で働いて|在工作|という名前|に引っ越)")
_EVENT = re.compile(
    "了|过|過|参观|去的|去过|买的|吃的|看的|见的|ました|した|昨天|今天|明天|前天|昨日|今日|明日|刚|曾|将要?|打算|想"
)
_MERE_ADJECTIVES = frozenset("大小高低上下左右好坏有无")
_SAYING_HOW_MUCH = re.compile("[是为為在有は到花用需要共约每値段住ポ口]")
_MEASURE = re.compile("[岁元块天人个点号米年月日时時分歳円]|小时|公斤|厘米")
_PLURAL = re.compile("喜欢|好き|会说|还|也|都|去|买|吃|看")
_COMPARING = re.compile("比|胜过|より|而不是")


def relate_cjk(older: WordedStatement, newer: WordedStatement) -> tuple[bool, str]:
    """Whether they conflict, and why (or what else they differ in)."""
    first, second = "".join(older.words), "".join(newer.words)
    if len(first) == len(second) and first != second and sorted(first) == sorted(second):
        return bool(_COMPARING.search(first)), "roles_swapped"
    start, end = _shared(first, second)
    left, right = first[start : len(first) - end], second[start : len(second) - end]
    before, after = first[:start], first[len(first) - end :]
    if (left, right) in _DENIED or (not left and _DENIALS.fullmatch(right)) or (not right and _DENIALS.fullmatch(left)):
        return True, "negated"
    if (left, right) in _OPPOSITE:
        # "the big son" and "the small son" are two sons.
        return left not in _MERE_ADJECTIVES or not after, "antonym"
    if not left or not right:
        return False, "contained"
    if _EVENT.search(before) or _EVENT.search(after) or len(left) > 8 or len(right) > 8:
        return False, "other_event"
    if numbers := _numbers(first, second, start, end):
        return bool(before) and _is_amount(before, after) and numbers[0] != numbers[1], "number_changed"
    if after[:1] in {"的", "の"} or _PLURAL.search(before[-4:]):
        return False, "other_value"
    return bool(_HOLDS_ONE.search(before) or _HOLDS_ONE_AFTER.match(after)), "slot_changed"


def _shared(first: str, second: str) -> tuple[int, int]:
    limit = min(len(first), len(second))
    start = 0
    while start < limit and first[start] == second[start]:
        start += 1
    end = 0
    while end < limit - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return start, end


def _numbers(first: str, second: str, start: int, end: int) -> tuple[str, str] | None:
    """The two numbers around the place that differs, if it lies within one number of each text."""
    spans = []
    for text in (first, second):
        span = next((m for m in _NUMBERS.finditer(text) if m.start() <= start < m.end()), None)
        if span is None or span.end() < len(text) - end:
            return None
        spans.append(span.group())
    return spans[0], spans[1]


def _is_amount(before: str, after: str) -> bool:
    """After a verb or a topic or with a measure, and not as the number of a room or a chapter that is spoken of."""
    if before[-1:] in {"第", "号"}:
        return False
    return _SAYING_HOW_MUCH.search(before) is not None or _MEASURE.match(after.lstrip(CJK_NUMERALS)) is not None
