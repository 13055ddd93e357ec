"""The one rule table of the redactor.

Every rule starts at a fixed literal or at a class no earlier position can reach into, and
repeats possessively or within a bound, so that each character is looked at a constant number
of times whatever the text. `needles` are the cheap necessary condition: one of them occurs,
lower-cased, in every text the rule can match.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from palyra.core import redact_carriers as carriers
from palyra.core import redact_context as context
from palyra.core import redact_prose as prose
from palyra.core.redact_context import Found
from palyra.core.redact_personal import PERSONAL
from palyra.core.redact_values import is_placeholder, lazy, looks_random
from palyra.core.told import telling


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    needles: tuple[str, ...]
    find: Callable[[str, str], Iterable[Found]]  # (text, the same text lower-cased, equally long)
    in_long_words: bool = False  # needles are sought in words of 16 characters or more only


LONG_WORD = 16


def _token(name: str, prefixes: str, body: str) -> Rule:
    """A format known by its prefix; `prefixes` are literals parted by blanks."""
    label = f"secret.{name}"
    heads = prefixes.split()
    # The look-behind comes after the literal: `re` then searches for the literal instead of trying every position.
    patterns = [
        (lazy(f"{re.escape(head)}(?<![A-Za-z0-9]{re.escape(head)}){body}", re.ASCII), len(head)) for head in heads
    ]

    def find(text: str, low: str) -> Iterator[Found]:
        del low
        for pattern, size in patterns:
            for match in pattern().finditer(text):
                # `ghp_xxxxxxxx`, `xoxb-your-token` are placeholders
                if len(set(match[0])) >= 9 and not is_placeholder(match[0][size:]):
                    yield match.start(), match.end(), label

    return Rule(label, tuple(head.lower() for head in heads), find, in_long_words=True)


def _shape(name: str, needles: str, pattern: str, accept: Callable[[str], bool] = bool) -> Rule:
    """A format known by its shape."""
    rule = _rule(f"secret.{name}", tuple(needles.split()), pattern, accept)
    return replace(rule, in_long_words=True)


def _rule(label: str, needles: tuple[str, ...], pattern: str, accept: Callable[[str], bool]) -> Rule:
    compiled = lazy(pattern, re.ASCII)

    def find(text: str, low: str) -> Iterator[Found]:
        del low
        for match in compiled().finditer(text):
            if accept(match[0]):
                yield match.start(), match.end(), label

    return Rule(label, needles, find)


_W = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_X = "[0-9a-f]"
_END = "(?![A-Za-z0-9])"


def _diverse(value: str) -> bool:
    return len(set(value)) >= 9


TOKENS = (
    _token("palyra_token", "pal_", "[0-9A-Z]{26}_[A-Za-z0-9_-]{43}"),
    _token("aws_key_id", "AKIA ASIA ABIA ACCA AGPA AROA AIDA", f"[A-Z0-9]{{16}}{_END}"),
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_A}{{30,255}}+"),
    _token("github_token", "github_pat_", "[A-Za-z0-9_]{30,255}+"),
    _token("gitlab_token", "glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent-", r"[\w.=-]{18,300}+"),
    _token("gitlab_token", "GR1348941 glffct- gloas-", r"[\w.=-]{18,300}+"),
    _token("slack_token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xapp- xwfp-", r"[A-Za-z0-9%.-]{16,400}+"),
    _token("slack_token", "xoxe.xoxb- xoxe.xoxp-", r"[A-Za-z0-9-]{16,400}+"),
    _token("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ sk_org_", f"{_A}{{10,250}}+"),
    _token("stripe_webhook", "whsec_", r"[A-Za-z0-9+/=]{20,250}+"),
    _token("anthropic_key", "sk-ant-", f"{_W}{{20,250}}+"),
    _token("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", f"{_W}{{20,300}}+"),
    _token("openrouter_key", "sk-or-v1- sk-or-", f"{_A}{{24,250}}+"),
    _token("openai_key", "sk-", f"{_A}{{20,200}}+(?![-]?[a-z]+-)"),
    _token("google_api_key", "AIza", f"{_W}{{30,60}}+"),
    _token("google_oauth", "ya29. 1//0", r"[\w.-]{20,2000}+"),
    _token("google_client_secret", "GOCSPX-", f"{_W}{{20,60}}+"),
    _token("sendgrid_key", "SG.", rf"{_W}{{16,40}}+\.{_W}{{16,80}}+"),
    _token("mailgun_key", "key- pubkey-", f"{_X}{{32}}{_END}"),
    _token("brevo_key", "xkeysib- xsmtpsib-", r"[a-f0-9]{40,80}(?:-[A-Za-z0-9]{6,30}+)?"),
    _token("npm_token", "npm_", f"{_A}{{30,60}}+"),
    _token("pypi_token", "pypi-AgE pypi-", f"{_W}{{40,1000}}+"),
    _token("docker_token", "dckr_pat_ dckr_oat_", f"{_W}{{20,60}}+"),
    _token("huggingface_token", "hf_ api_org_", f"{_A}{{30,60}}+"),
    _token("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", f"{_X}{{40,80}}+"),
    _token("heroku_key", "HRKU-", f"{_W}{{30,80}}+"),
    _token("shopify_token", "shpat_ shpss_ shpca_ shppa_ shptka_ shpua_", "[A-Fa-f0-9]{24,64}+"),
    _token("square_token", "sq0atp- sq0csp- sq0idp-", f"{_W}{{20,60}}+"),
    _token("square_token", "EAAA", f"{_W}{{56,80}}+"),
    _token("facebook_token", "EAA", f"{_A}{{60,400}}+"),
    _token("braintree_token", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{10,24}\$[0-9a-f]{32}"),
    _token("newrelic_key", "NRAK- NRJS- NRII- NRIQ- NRRA- NRAA- NRSP-", r"[A-Za-z0-9_-]{16,64}+"),
    _token("grafana_token", "glsa_ glc_", r"[A-Za-z0-9_+/=]{24,500}+"),
    _token("sentry_token", "sntrys_ sntryu_ sntrya_", r"[A-Za-z0-9_+/=-]{40,500}+"),
    _token("postman_key", "PMAK-", r"[0-9a-f]{20,30}-[0-9a-f]{30,40}+"),
    _token("linear_key", "lin_api_ lin_oauth_", f"{_A}{{30,80}}+"),
    _token("notion_token", "secret_ ntn_", f"{_A}{{40,60}}+"),
    _token("airtable_token", "pat", rf"{_A}{{14}}\.{_X}{{64}}"),
    _token("figma_token", "figd_ figu_ figo_ figor_", f"{_W}{{30,80}}+"),
    _token("atlassian_token", "ATATT3 ATCTT3 ATBB ATSTT3", r"[A-Za-z0-9_=-]{24,300}+"),
    _token("databricks_token", "dapi dkea dose", rf"{_X}{{32}}(?:-\d)?{_END}"),
    _token("doppler_token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", rf"(?:[\w-]{{2,35}}\.)?{_A}{{36,60}}+"),
    _token("vault_token", "hvs. hvb. hvr.", f"{_W}{{20,300}}+"),
    _token("vault_token", "s. b. r.", rf"{_A}{{24}}(?:\.{_A}{{5}})?(?![A-Za-z0-9.])"),
    _token("fly_token", "FlyV1 fm1r_ fm1a_ fm2_ fo1_", r"[ ]?[A-Za-z0-9_+/=,-]{24,2000}+"),
    _token("supabase_key", "sbp_ sb_secret_", f"{_W}{{30,80}}+"),
    _token("planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_otkn_", r"[\w.=-]{30,80}+"),
    _token("mapbox_token", "sk.eyJ tk.eyJ", rf"{_W}{{20,300}}+\.{_W}{{16,60}}+"),
    _token("age_key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", "[A-Z0-9-]{40,100}+"),
    _token("onepassword_token", "ops_eyJ", r"[A-Za-z0-9_+/=-]{80,2000}+"),
    _token("dropbox_token", "sl.", rf"(?:u\.)?{_W}{{60,1500}}+"),
    _token("twitter_bearer", "AAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{30,120}+"),
    _token("rubygems_key", "rubygems_", f"{_X}{{40,60}}+"),
    _token("crates_token", "cio", f"{_A}{{32}}{_END}"),
    _token("nuget_key", "oy2", f"[a-z0-9]{{43}}{_END}"),
    _token("pulumi_token", "pul-", f"{_X}{{40}}"),
    _token("perplexity_key", "pplx-", f"{_A}{{30,80}}+"),
    _token("groq_key", "gsk_", f"{_A}{{30,80}}+"),
    _token("replicate_token", "r8_", f"{_A}{{30,60}}+"),
    _token("xai_key", "xai-", f"{_A}{{40,120}}+"),
    _token("dynatrace_token", "dt0c01. dt0s01. dt0s02. dt0s16.", r"[A-Z2-7a-z]{8,24}\.[A-Za-z2-7]{40,80}+"),
    _token("hubspot_token", "pat-na1- pat-eu1- pat-na2- pat-ap1-", f"{_X}{{8}}-[0-9a-f-]{{27}}"),
    _token("buildkite_token", "bkua_ bkaj_ bkat_ bkct_", f"{_A}{{30,80}}+"),
    _token("circleci_token", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9_]{30,120}+"),
    _token("sonar_token", "sqp_ squ_ sqa_", f"{_X}{{40}}"),
    _token("tailscale_key", "tskey-", r"[A-Za-z0-9-]{20,120}+"),
    _token("netlify_token", "nfp_ nfo_ nfc_", f"{_A}{{30,60}}+"),
    _token("easypost_key", "EZAK EZTK", f"{_A}{{50,60}}+"),
    _token("typeform_token", "tfp_", r"[\w.=-]{40,80}+"),
    _token("alibaba_key_id", "LTAI", f"{_A}{{12,30}}+"),
    _token("tencent_key_id", "AKID", f"{_A}{{28,40}}+"),
    _token("launchdarkly_key", "sdk- mob- api-", f"{_X}{{8}}-{_X}{{4}}-{_X}{{4}}-{_X}{{4}}-{_X}{{12}}"),
    _token("contentful_token", "CFPAT-", f"{_W}{{30,60}}+"),
    _token("adafruit_key", "aio_", f"{_A}{{24,40}}+"),
    _token("prefect_key", "pnu_ pnb_", f"{_A}{{30,60}}+"),
    _token("readme_key", "rdme_", f"{_A}{{40,90}}+"),
    _token("clojars_token", "CLOJARS_", f"{_A}{{50,70}}+"),
    _token("flutterwave_key", "FLWSECK_TEST- FLWSECK-", r"[A-Za-z0-9-]{12,60}+"),
    _token("duffel_token", "duffel_live_ duffel_test_", r"[\w=-]{30,60}+"),
    _token("lob_key", "live_ test_", f"{_X}{{35}}{_END}"),
    _token("shippo_token", "shippo_live_ shippo_test_", f"{_X}{{40}}"),
    _token("frameio_token", "fio-u-", f"{_W}{{40,80}}+"),
    _token("openshift_token", "sha256~", f"{_W}{{40,50}}+"),
    _token("artifactory_key", "AKCp cmVmdGtu", f"{_A}{{50,80}}+"),
    _token("yandex_key", "AQVN t1.", r"[A-Za-z0-9_.=-]{35,250}+"),
    _token("langsmith_key", "lsv2_pt_ lsv2_sk_", r"[A-Za-z0-9_]{30,80}+"),
    _token("voyage_key", "pa-", f"{_W}{{40,50}}+{_END}"),
    _token("jina_key", "jina_", f"{_W}{{40,80}}+"),
    _token("tavily_key", "tvly-", f"{_W}{{24,60}}+"),
    _token("fireworks_key", "fw_", f"{_A}{{22,40}}+"),
    _token("asana_token", "1/ 2/", rf"\d{{12,20}}(?:/\d{{12,20}})?:{_X}{{32}}"),
    _token("infracost_key", "ico-", f"{_A}{{32}}{_END}"),
    _token("scalingo_token", "tk-us-", f"{_W}{{40,60}}+"),
    _token("render_key", "rnd_", f"{_A}{{24,60}}+"),
    _token("resend_key", "re_", rf"{_A}{{8}}_{_A}{{20,40}}+"),
    _token("pinecone_key", "pcsk_", r"[A-Za-z0-9_]{40,100}+"),
    _token("cloudflare_key", "v1.0-", rf"{_X}{{24}}-{_X}{{100,160}}+"),
    _token("sourcegraph_token", "sgp_ slk_", r"[A-Za-z0-9_]{40,100}+"),
)  # fmt: skip

_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=]{16,}+|\s|\\+[nr])*+)"
)
_JWT = (
    rf"(?<![\w-])eyJ{_W}{{8,4000}}+\.(?:eyJ{_W}{{8,8000}}+(?:\.{_W}{{0,2048}}+)?"
    rf"|{_W}{{0,2048}}+\.{_W}{{12,64}}+\.{_W}{{12,8000}}+\.{_W}{{12,64}}+)"
)
# Providers come and go, their habit stays: a short lower-case prefix, then a random body. Object ids share
# the habit but are known by their prefixes, digests by theirs.
_PREFIXED = rf"[a-z](?<![\w/.@-].)[a-z0-9]{{1,9}}(?:[_-][a-z0-9]{{1,8}}){{0,2}}[_-]{_A}{{24,200}}+(?![\w.@/-])"
_OBJECT_IDS = re.compile(
    r"(?:sha\d{1,3}|file|req|cus|org|asst|thread|msg|run|chatcmpl|evt|img|image|video|uuid|id|arn|rev|commit|sub|prod|"
    r"price|pi|ch|in|acct|user|proj|batch|call|resp|item|ref|chunk|bundle|main|index|vendor)[_-]"
)


def _has_random_body(value: str) -> bool:
    return looks_random(_LAST_PART.split(value)[-1]) and not _OBJECT_IDS.match(value)


_LAST_PART = re.compile("[_-]")
_SLACK_HOOK = r"(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}+"
_DISCORD_HOOK = (
    r"(?:https?://)?(?:(?:ptb|canary)\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/"
    r"\d{15,22}/[A-Za-z0-9_-]{40,100}+"
)
_TEAMS_HOOK = r"(?:https?://[\w-]{1,64}+\.)?webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{40,300}+"
_ONE_PASSWORD = rf"(?<![A-Za-z0-9])A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{5,6}}-){{3,5}}[A-Z0-9]{{5}}{_END}"

SHAPES = (
    _rule("secret.pem", ("-----begin",), _PEM, bool),
    _shape("jwt", "eyj", _JWT),
    _shape("slack_webhook", "hooks.slack.com", _SLACK_HOOK),
    _shape("discord_webhook", "/webhooks/", _DISCORD_HOOK),
    _shape("teams_webhook", "webhook.office.com", _TEAMS_HOOK),
    _shape("telegram_token", ":aa", rf"(?<![A-Za-z0-9])[0-9]{{8,10}}:AA{_W}{{30,40}}+"),
    _shape("discord_token", ".", rf"[MNO](?<![\w.-].){_A}{{22,27}}\.{_W}{{6}}\.{_W}{{25,40}}+", looks_random),
    _shape("azure_client_secret", "q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{30,36}"),
    _shape("azure_storage_key", "==", r"(?<![A-Za-z0-9+/-])[A-Za-z0-9+/]{86}==", looks_random),
    _shape("twilio_key", "ac sk", rf"[SA](?<![A-Za-z0-9].)[KC](?<=SK|AC){_X}{{32}}{_END}", _diverse),
    _shape("mailchimp_key", "-us", rf"(?<![A-Za-z0-9]){_X}{{32}}-us\d{{1,2}}{_END}", _diverse),
    _shape("terraform_token", ".atlasv1.", rf"(?<![A-Za-z0-9]){_A}{{14}}\.atlasv1\.[\w=-]{{50,80}}+"),
    _shape("onepassword_key", "a3-", _ONE_PASSWORD),
    # Markdown escapes underscores: the one provider token seen that way in real chats.
    _shape("docker_token", "dckr\\_", r"dckr\\_[po]at\\_[\w\\-]{20,60}+"),
    _shape("prefixed_token", "_ -", _PREFIXED, _has_random_body),
)

_NAMES = (
    "pass", "pw", "secret", "token", "key", "cred", "wort", "contrase", "senha", "woord", "heslo", "geheim", "salasana",
    "kata sandi", "adgangskode", "hasło", "парол", "密", "口令", "令牌", "パスワード", "トークン", "비밀번호",
    "lösenord", "şifre", "mật khẩu", "clé", "schlüssel",
)  # fmt: skip
_HINTS = ("auth", "pat", "sid", "session", "sig", "jwt", "bearer", "cookie", "otp", "clave", "appid", "dsn", "code")

CONTEXT = (
    Rule("secret.url_password", ("@",), carriers.user_info),
    Rule("secret.authorization", ("authorization", "bearer", "basic"), carriers.authorization),
    Rule("secret.cookie", ("cookie",), carriers.cookies),
    Rule("secret.flag", (" -",), carriers.flags),
    Rule("secret.assignment", (*_NAMES, *_HINTS), context.assignments),
    Rule("secret.sentence", _NAMES, prose.sentences),
    Rule("secret.beside", _NAMES, prose.beside),
    Rule("secret.value_first", _NAMES, prose.value_first),
    Rule("secret.value_later", (" it's ", " it is ", " it was ", " that's "), prose.value_later),
    Rule("secret.tough", _NAMES, prose.tough),
    Rule("secret.neighbour", (*_NAMES, *_HINTS), prose.neighbours),
    Rule("secret.told", ("",), telling.told),
    Rule("secret.pin", ("pin", "phrase", "seed", "recovery", "pass", "mnemonic"), prose.numbers_and_words),
)

SECRET_RULES: tuple[Rule, ...] = TOKENS + SHAPES + CONTEXT
# No needle is shorter than looking: personal data is sought only when a policy or a caller asks for it.
PERSONAL_RULES: tuple[Rule, ...] = tuple(_rule(label, ("",), pattern, accept) for label, pattern, accept in PERSONAL)

LABELS = (
    frozenset(rule.name for rule in TOKENS + SHAPES + PERSONAL_RULES)
    | context.LABELS
    | carriers.LABELS
    | prose.LABELS
    | telling.LABELS
)
