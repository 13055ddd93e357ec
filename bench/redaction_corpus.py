"""Secrets made at run time from the formats providers publish, set in six carriers.

Written from the providers' documentation, never from the redactor's rule table: a shared
list would only measure that the table agrees with itself. Kinds without a prefix (hex keys,
passwords, pass phrases) are set only where the carrier's own words give them away.
Nothing here looks like a key until it runs.
"""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

CARRIERS = ("prose", "env", "json", "header", "url", "log")

LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
DIGITS = string.digits
ALNUM = string.ascii_letters + DIGITS
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
CROCKFORD = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
_WORDS_WORDS = (
    "correct horse battery staple orbit lantern pickle velvet thunder maple walnut copper river saddle pepper "
    "island rocket violin marble cactus anchor breeze candle dragon ember falcon"
)
WORDS = _WORDS_WORDS.split()


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    noun: str  # what people call it in a sentence
    key: str  # the name it has in configuration
    make: Callable[[random.Random], str]
    prefixed: bool = True  # recognisable without any context
    carriers: tuple[str, ...] = CARRIERS


@dataclass(frozen=True, slots=True)
class Sample:
    kind: str
    carrier: str
    text: str
    start: int
    end: int


def body(alphabet: str, length: int) -> Callable[[random.Random], str]:
    return lambda rng: "".join(rng.choices(alphabet, k=length))


def shape(*parts: str | Callable[[random.Random], str]) -> Callable[[random.Random], str]:
    return lambda rng: "".join(part if isinstance(part, str) else part(rng) for part in parts)


def uuid(rng: random.Random) -> str:
    return "-".join("".join(rng.choices(HEX, k=size)) for size in (8, 4, 4, 4, 12))


def segment(rng: random.Random, claims: dict[str, str | int]) -> str:
    raw = json.dumps(claims | {"n": rng.randrange(10**9)}).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def jwt(rng: random.Random) -> str:
    head, claims = segment(rng, {"alg": "HS256"}), segment(rng, {"sub": "u", "exp": 1_900_000_000})
    return f"{head}.{claims}.{body(URLSAFE, 43)(rng)}"


def pem(kind: str) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        lines = [body(BASE64, 64)(rng) for _ in range(rng.randint(3, 12))]
        return "\n".join([f"-----BEGIN {kind}-----", *lines, f"{body(BASE64, 30)(rng)}==", f"-----END {kind}-----"])

    return make


def password(rng: random.Random) -> str:
    """A generated password: all four classes, no blanks, quotes or backslashes."""
    size = rng.randint(9, 18)
    pool = [rng.choice(LOWER), rng.choice(UPPER), rng.choice(DIGITS), rng.choice("!@#$%^*-_+")]
    pool += rng.choices(ALNUM + "!@#$%^*-_+", k=size - 4)
    rng.shuffle(pool)
    # Ends and begins with a letter: where a sentence ends is otherwise anybody's guess.
    return rng.choice(ALNUM) + "".join(pool) + rng.choice(ALNUM)


def human_password(rng: random.Random) -> str:
    word = rng.choice(WORDS)
    return rng.choice((word, word.capitalize())) + rng.choice((str(rng.randrange(1, 9999)), f"{rng.randrange(99)}!"))


def phrase(rng: random.Random) -> str:
    return rng.choice("-_.-").join(rng.sample(WORDS, rng.randint(3, 5)))


def basic_pair(rng: random.Random) -> str:
    return base64.b64encode(f"svc-{rng.randrange(99)}:{body(ALNUM, 14)(rng)}".encode()).decode()


def kind(name: str, noun: str, key: str, *parts: str | Callable[[random.Random], str]) -> Kind:
    return Kind(name, noun, key, shape(*parts))


def bare(name: str, noun: str, key: str, *parts: str | Callable[[random.Random], str]) -> Kind:
    """A kind only its context gives away."""
    return Kind(name, noun, key, shape(*parts), prefixed=False)


B32 = UPPER + "234567"
TEXT_CARRIERS = ("prose", "env", "json", "log")

KINDS = (
    kind("aws_access_key_id", "AWS access key", "AWS_ACCESS_KEY_ID", "AKIA", body(B32, 16)),
    kind("aws_session_key_id", "temporary AWS key", "AWS_ACCESS_KEY_ID", "ASIA", body(B32, 16)),
    bare("aws_secret_key", "AWS secret access key", "AWS_SECRET_ACCESS_KEY", body(BASE64, 40)),
    kind("github_classic", "GitHub token", "GITHUB_TOKEN", "ghp", "_", body(ALNUM, 36)),
    kind("github_fine", "GitHub PAT", "GH_PAT", "github", "_pat_", body(ALNUM, 22), "_", body(ALNUM, 59)),
    kind("github_oauth", "GitHub OAuth token", "GH_OAUTH_TOKEN", "gho", "_", body(ALNUM, 36)),
    kind("github_app", "GitHub app token", "GITHUB_APP_TOKEN", "ghs", "_", body(ALNUM, 36)),
    kind("github_refresh", "GitHub refresh token", "GITHUB_REFRESH_TOKEN", "ghr", "_", body(ALNUM, 36)),
    kind("gitlab_pat", "GitLab token", "GITLAB_TOKEN", "glpat", "-", body(URLSAFE, 20)),
    kind("gitlab_trigger", "GitLab trigger token", "CI_TRIGGER_TOKEN", "glptt", "-", body(HEX, 40)),
    kind("gitlab_runner", "GitLab runner token", "RUNNER_TOKEN", "glrt", "-", body(URLSAFE, 20)),
    kind(
        "slack_bot",
        "Slack bot token",
        "SLACK_BOT_TOKEN",
        "xoxb",
        "-",
        body(DIGITS, 12),
        "-",
        body(DIGITS, 13),
        "-",
        body(ALNUM, 24),
    ),
    kind(
        "slack_user",
        "Slack user token",
        "SLACK_TOKEN",
        "xoxp",
        "-",
        body(DIGITS, 11),
        "-",
        body(DIGITS, 12),
        "-",
        body(HEX, 32),
    ),
    kind(
        "slack_app",
        "Slack app token",
        "SLACK_APP_TOKEN",
        "xapp",
        "-1-A",
        body(UPPER + DIGITS, 10),
        "-",
        body(DIGITS, 13),
        "-",
        body(HEX, 64),
    ),
    kind(
        "slack_webhook",
        "Slack webhook",
        "SLACK_WEBHOOK_URL",
        "https://hooks.",
        "slack.com/services/T",
        body(UPPER + DIGITS, 8),
        "/B",
        body(UPPER + DIGITS, 10),
        "/",
        body(ALNUM, 24),
    ),
    kind("stripe_secret", "Stripe secret key", "STRIPE_SECRET_KEY", "sk", "_live_", body(ALNUM, 24)),
    kind("stripe_long", "Stripe key", "STRIPE_API_KEY", "sk", "_test_", "51", body(ALNUM, 97)),
    kind("stripe_restricted", "Stripe restricted key", "STRIPE_RESTRICTED_KEY", "rk", "_live_", body(ALNUM, 24)),
    kind("stripe_hook", "Stripe webhook secret", "STRIPE_WEBHOOK_SECRET", "whsec", "_", body(ALNUM, 32)),
    kind("openai_legacy", "OpenAI key", "OPENAI_API_KEY", "sk-", body(ALNUM, 20), "T3Blbk", "FJ", body(ALNUM, 20)),
    kind(
        "openai_project",
        "OpenAI project key",
        "OPENAI_API_KEY",
        "sk-",
        "proj-",
        body(URLSAFE, 74),
        "T3Blbk",
        "FJ",
        body(URLSAFE, 73),
        "A",
    ),
    kind("openai_service", "OpenAI service key", "OPENAI_KEY", "sk-", "svcacct-", body(ALNUM, 40)),
    kind("anthropic", "Anthropic key", "ANTHROPIC_API_KEY", "sk-", "ant-api03-", body(URLSAFE, 93), "AA"),
    kind("openrouter", "OpenRouter key", "OPENROUTER_API_KEY", "sk-", "or-v1-", body(HEX, 64)),
    kind("deepseek", "DeepSeek key", "DEEPSEEK_API_KEY", "sk-", body(HEX, 32)),
    kind("google_api", "Google Maps key", "GOOGLE_MAPS_KEY", "AI", "za", body(URLSAFE, 34), "k"),
    kind("google_oauth", "Google access token", "GOOGLE_ACCESS_TOKEN", "ya", "29.", body(URLSAFE, 120), "x"),
    kind("google_client", "Google client secret", "GOOGLE_CLIENT_SECRET", "GOC", "SPX-", body(URLSAFE, 27), "x"),
    bare("azure_storage", "storage account key", "AZURE_STORAGE_ACCOUNT_KEY", body(BASE64, 86), "=="),
    kind("azure_ad", "Azure client secret", "AZURE_CLIENT_SECRET", body(ALNUM, 3), "8", "Q~", body(ALNUM, 34)),
    kind("twilio_key", "Twilio API key", "TWILIO_API_KEY", "S", "K", body(HEX, 32)),
    bare("twilio_auth", "Twilio auth token", "TWILIO_AUTH_TOKEN", body(HEX, 32)),
    kind("sendgrid", "SendGrid key", "SENDGRID_API_KEY", "S", "G.", body(URLSAFE, 22), ".", body(URLSAFE, 42), "a"),
    kind("mailgun", "Mailgun key", "MAILGUN_API_KEY", "key", "-", body(HEX, 32)),
    kind("mailchimp", "Mailchimp key", "MAILCHIMP_API_KEY", body(HEX, 32), "-us", "12"),
    kind("brevo", "Brevo key", "BREVO_API_KEY", "xkey", "sib-", body(HEX, 64), "-", body(ALNUM, 16)),
    kind("npm", "npm token", "NPM_TOKEN", "npm", "_", body(ALNUM, 36)),
    kind("pypi", "PyPI token", "TWINE_PASSWORD", "pypi-", "AgEIcHlwaS5vcmc", body(URLSAFE, 99), "A"),
    kind("docker_hub", "Docker Hub token", "DOCKERHUB_TOKEN", "dckr", "_pat_", body(URLSAFE, 26), "a"),
    kind("hugging_face", "Hugging Face token", "HF_TOKEN", "hf", "_", body(string.ascii_letters, 34)),
    kind(
        "telegram_bot", "Telegram bot token", "TELEGRAM_BOT_TOKEN", body("123456789", 10), ":AA", body(URLSAFE, 32), "a"
    ),
    kind(
        "discord_bot",
        "Discord bot token",
        "DISCORD_TOKEN",
        "M",
        body(ALNUM, 25),
        ".",
        body(ALNUM, 6),
        ".",
        body(URLSAFE, 37),
        "a",
    ),
    kind(
        "discord_webhook",
        "Discord webhook",
        "DISCORD_WEBHOOK",
        "https://discord",
        ".com/api/webhooks/",
        body("123456789", 18),
        "/",
        body(URLSAFE, 67),
        "a",
    ),
    kind("digitalocean", "DigitalOcean token", "DO_TOKEN", "dop", "_v1_", body(HEX, 64)),
    bare("heroku", "Heroku API key", "HEROKU_API_KEY", uuid),
    kind("heroku_new", "Heroku key", "HEROKU_API_KEY", "HR", "KU-AA", body(URLSAFE, 57), "a"),
    kind("shopify", "Shopify access token", "SHOPIFY_ACCESS_TOKEN", "shp", "at_", body(HEX, 32)),
    kind("shopify_secret", "Shopify shared secret", "SHOPIFY_SECRET", "shp", "ss_", body(HEX, 32)),
    kind("square", "Square token", "SQUARE_TOKEN", "sq0", "atp-", body(URLSAFE, 21), "a"),
    kind("square_new", "Square access token", "SQUARE_ACCESS_TOKEN", "EA", "AA", body(URLSAFE, 59), "a"),
    kind(
        "braintree",
        "Braintree token",
        "BRAINTREE_ACCESS_TOKEN",
        "access_token",
        "$production$",
        body(LOWER + DIGITS, 16),
        "$",
        body(HEX, 32),
    ),
    bare("datadog_api", "Datadog API key", "DD_API_KEY", body(HEX, 32)),
    bare("datadog_app", "Datadog app key", "DD_APP_KEY", body(HEX, 40)),
    kind("new_relic", "New Relic key", "NEW_RELIC_API_KEY", "NR", "AK-", body(UPPER + DIGITS, 27)),
    kind("grafana_service", "Grafana token", "GRAFANA_TOKEN", "gl", "sa_", body(ALNUM, 32), "_", body(HEX, 8)),
    kind("grafana_cloud", "Grafana Cloud key", "GRAFANA_CLOUD_KEY", "gl", "c_eyJ", body(ALNUM, 80)),
    kind("sentry", "Sentry auth token", "SENTRY_AUTH_TOKEN", "sntrys", "_eyJ", body(ALNUM, 120), "_", body(ALNUM, 43)),
    kind("sentry_user", "Sentry user token", "SENTRY_TOKEN", "sntryu", "_", body(HEX, 64)),
    kind("postman", "Postman key", "POSTMAN_API_KEY", "PM", "AK-", body(HEX, 24), "-", body(HEX, 34)),
    kind("linear", "Linear key", "LINEAR_API_KEY", "lin", "_api_", body(ALNUM, 40)),
    kind("notion_old", "Notion integration secret", "NOTION_SECRET", "secret", "_", body(ALNUM, 43)),
    kind("notion_new", "Notion token", "NOTION_TOKEN", "nt", "n_", body(DIGITS, 11), body(ALNUM, 35)),
    kind("airtable", "Airtable token", "AIRTABLE_PAT", "pat", body(ALNUM, 14), ".", body(HEX, 64)),
    kind("figma", "Figma token", "FIGMA_TOKEN", "fig", "d_", body(URLSAFE, 39), "a"),
    kind(
        "atlassian",
        "Jira API token",
        "JIRA_API_TOKEN",
        "ATATT3",
        "xFfGF0",
        body(URLSAFE, 171),
        "=",
        body(HEX.upper(), 8),
    ),
    kind("databricks", "Databricks token", "DATABRICKS_TOKEN", "da", "pi", body(HEX, 32)),
    kind("doppler", "Doppler token", "DOPPLER_TOKEN", "dp", ".st.prd.", body(ALNUM, 43)),
    kind("vault", "Vault token", "VAULT_TOKEN", "hv", "s.", body(URLSAFE, 89), "a"),
    kind("vault_old", "Vault root token", "VAULT_TOKEN", "s", ".", body(ALNUM, 24)),
    kind("terraform", "Terraform Cloud token", "TFE_TOKEN", body(ALNUM, 14), ".atlas", "v1.", body(URLSAFE, 66), "a"),
    bare("cloudflare", "Cloudflare API token", "CLOUDFLARE_API_TOKEN", body(URLSAFE, 39), "x"),
    bare("fastly", "Fastly key", "FASTLY_API_KEY", body(URLSAFE, 31), "x"),
    kind("fly", "Fly.io token", "FLY_API_TOKEN", "fm", "2_", body(BASE64, 120), "a"),
    kind("supabase", "Supabase token", "SUPABASE_ACCESS_TOKEN", "sb", "p_", body(HEX, 40)),
    kind("planetscale", "PlanetScale password", "DATABASE_PASSWORD", "pscale", "_pw_", body(URLSAFE, 42), "a"),
    kind(
        "mapbox", "Mapbox secret token", "MAPBOX_TOKEN", "sk", ".eyJ1Ijoi", body(ALNUM, 60), ".", body(URLSAFE, 21), "a"
    ),
    kind("age", "age key", "AGE_KEY", "AGE-", "SECRET-KEY-1", body(CROCKFORD, 58)),
    kind("one_password", "1Password service token", "OP_SERVICE_ACCOUNT_TOKEN", "ops", "_eyJ", body(ALNUM, 250)),
    kind("dropbox", "Dropbox token", "DROPBOX_TOKEN", "sl", ".", body(URLSAFE, 135), "a"),
    kind("facebook", "Facebook page token", "FB_PAGE_TOKEN", "EAA", "C", body(ALNUM, 150)),
    kind(
        "twitter_bearer",
        "Twitter bearer token",
        "TWITTER_BEARER_TOKEN",
        "A" * 22,
        body(ALNUM, 60),
        "%3D",
        body(ALNUM, 30),
    ),
    bare("linkedin", "LinkedIn client secret", "LINKEDIN_CLIENT_SECRET", body(ALNUM, 16)),
    kind("rubygems", "RubyGems key", "GEM_HOST_API_KEY", "rubygems", "_", body(HEX, 48)),
    kind("crates_io", "crates.io token", "CARGO_REGISTRY_TOKEN", "ci", "o", body(ALNUM, 32)),
    kind("nuget", "NuGet key", "NUGET_API_KEY", "oy", "2", body(LOWER + "234567", 43)),
    kind("pulumi", "Pulumi token", "PULUMI_ACCESS_TOKEN", "pul", "-", body(HEX, 40)),
    kind("perplexity", "Perplexity key", "PPLX_API_KEY", "pp", "lx-", body(ALNUM, 48)),
    kind("groq", "Groq key", "GROQ_API_KEY", "gs", "k_", body(ALNUM, 52)),
    kind("replicate", "Replicate token", "REPLICATE_API_TOKEN", "r", "8_", body(ALNUM, 37)),
    bare("cohere", "Cohere key", "COHERE_API_KEY", body(ALNUM, 40)),
    bare("mistral", "Mistral key", "MISTRAL_API_KEY", body(ALNUM, 32)),
    kind("xai", "xAI key", "XAI_API_KEY", "xa", "i-", body(ALNUM, 80)),
    kind("dynatrace", "Dynatrace token", "DT_API_TOKEN", "dt0", "c01.", body(B32, 24), ".", body(B32, 64)),
    kind("hubspot", "HubSpot private app token", "HUBSPOT_TOKEN", "pat", "-na1-", uuid),
    kind("buildkite", "Buildkite token", "BUILDKITE_TOKEN", "bk", "ua_", body(HEX, 40)),
    kind("circleci", "CircleCI token", "CIRCLE_TOKEN", "CCI", "PAT_", body(ALNUM, 22), "_", body(HEX, 40)),
    kind("sonar", "SonarQube token", "SONAR_TOKEN", "sq", "u_", body(HEX, 40)),
    kind("tailscale", "Tailscale auth key", "TS_AUTHKEY", "tskey", "-auth-", body(ALNUM, 17), "-", body(ALNUM, 32)),
    kind("netlify", "Netlify token", "NETLIFY_AUTH_TOKEN", "nf", "p_", body(ALNUM, 36)),
    kind("easypost", "EasyPost key", "EASYPOST_API_KEY", "EZ", "AK", body(ALNUM, 54)),
    kind("typeform", "Typeform token", "TYPEFORM_TOKEN", "tf", "p_", body(URLSAFE, 58), "a"),
    kind("alibaba", "Alibaba access key", "ALIYUN_ACCESS_KEY_ID", "LT", "AI5t", body(ALNUM, 18)),
    kind("launchdarkly", "LaunchDarkly SDK key", "LD_SDK_KEY", "sdk", "-", uuid),
    kind("jwt", "session JWT", "ACCESS_TOKEN", jwt),
    bare("okta", "Okta API token", "OKTA_API_TOKEN", "00", body(URLSAFE, 39), "x"),
    bare("hex_32", "API key", "SERVICE_API_KEY", body(HEX, 32)),
    bare("hex_64", "signing secret", "SIGNING_SECRET", body(HEX, 64)),
    bare("base64_40", "client secret", "CLIENT_SECRET", body(BASE64, 40)),
    bare("random_24", "access token", "INTERNAL_ACCESS_TOKEN", body(ALNUM, 24)),
    bare("password", "database password", "DB_PASSWORD", password),
    bare("admin_password", "admin password", "ADMIN_PASSWORD", password),
    bare("human_password", "wifi password", "WIFI_PASSWORD", human_password),
    bare("passphrase", "passphrase", "BACKUP_PASSPHRASE", phrase),
    bare("basic_pair", "basic auth credential", "REGISTRY_AUTH", basic_pair),
    Kind("rsa_pem", "private key", "PRIVATE_KEY", pem("RSA PRIVATE KEY"), carriers=TEXT_CARRIERS),
    Kind("gcp_pem", "service account key", "GCP_PRIVATE_KEY", pem("PRIVATE KEY"), carriers=TEXT_CARRIERS),
    Kind("openssh_pem", "deploy key", "DEPLOY_KEY", pem("OPENSSH PRIVATE KEY"), carriers=TEXT_CARRIERS),
)

# {s} the secret, {noun} its everyday name, {key} its name in configuration, in three spellings.
# Templates under "any" carry no hint and are used only for kinds with a recognisable format.
TEMPLATES: dict[str, tuple[str, ...]] = {
    "prose": (
        "my {noun} is {s}",
        "Hey, can you remember this? The {noun} is {s}. I keep losing it.",
        "here's the {noun}: {s}",
        "The {noun} for the staging box is {s}, don't share it with Tom.",
        "I changed the {noun} to {s} last night and now nothing works",
        "ok so for the {noun} use {s} and then restart the worker",
        "We rotated it yesterday. New {noun}: {s}",
        "their {noun} is `{s}` in case you need it again",
        'I think the {noun} was "{s}" but I am not sure anymore',
        "Please save my {noun} ({s}) somewhere safe",
        "log in with {noun} {s} and tell me what you see",
        "Just set {key}={s} before you run it, worked for me",
        "btw {noun} = {s}, please note it down",
        "So I finally got the {noun} from support. It's {s}",
        "Could you test with my {noun}? {s} should still be valid until Friday.",
        "FYI the old {noun} ({s}) got revoked",
        "remember that the {noun} we use in CI is {s}",
        "I'm stuck: I put {s} as the {noun} and it says forbidden",
        "{noun} -> {s}",
        "use this {noun} when you deploy:\n\n```\n{s}\n```",
        "Sure, the {noun} of the test account should be {s} unless someone changed it",
        "Quick note to self: {noun} {s} (expires in a year)",
        "can you store this for later, it's our {noun}:\n{s}",
        "The thing you need is the {noun}, which is {s}.",
        "I pasted the {noun} below.\n\n{s}\n\nLet me know if it works!",
        "hmm {s} doesn't work as {noun} any more, did you rotate it?",
        "For {noun} we have {s} on staging and nothing on prod yet",
        "Ana told me that her {noun} was {s} before the reset",
        "please replace the old {noun} with {s} in the config",
    ),
    "prose_any": (
        "does this look right to you? {s}",
        "I got {s} from the dashboard, what do I do with it",
        "paste {s} into the form and hit save, that's all",
    ),
    "env": (
        "{key}={s}\n",
        "# production\nDEBUG=false\n{key}={s}\nPORT=8080\n",
        'export {key}="{s}"\n',
        "REGION=eu-west-1\nexport {key}={s}\n",
        "{key}='{s}'\nLOG_LEVEL=info\n",
        "{lower}: {s}\nreplicas: 3\n",
        "ENV {key}={s}",
        "MAX_TOKENS=4096\n{key} = {s}\n",
        "environment:\n  - {key}={s}\n  - TZ=UTC\n",
        "set {key}={s}",
        '$env:{key} = "{s}"',
        "[default]\nregion = us-east-1\n{lower} = {s}\noutput = json",
        'spec:\n  env:\n    - name: {key}\n      value: "{s}"\n',
        "PROD_{key}={s} # rotate in May",
        "docker run -e {key}={s} -p 80:80 app:latest",
        "{key}: '{s}'\nLOG: debug",
        "  {key}={s}  ",
        "{key}={s};",
        "export FOO=1 {key}={s} BAR=2",
        "{lower}={s}\ndebug=1",
        'ARG {key}="{s}"',
        "stringData:\n  {lower}: {s}\ntype: Opaque",
    ),
    "json": (
        '{{"{lower}": "{s}"}}',
        '{{"user": "ana", "{camel}": "{s}", "retries": 3}}',
        '{{\n  "service": {{\n    "name": "billing",\n    "{lower}": "{s}"\n  }}\n}}',
        '{{"config":{{"{key}":"{s}"}}}}',
        'payload was {{"id": 7, "{lower}":"{s}","ok":true}} and it returned 200',
        "{{'{lower}': '{s}', 'timeout': 30}}",
        '{{"body": "{{\\"{lower}\\": \\"{s}\\", \\"n\\": 1}}"}}',
        '{{"data":[{{"id":1,"{lower}":"{s}"}}]}}',
        '{{"name": "{key}", "value": "{s}", "scope": "all"}}',
        '"{lower}" : "{s}",',
        '{{ "prod.{lower}" : "{s}" }}',
        "{{{camel}: '{s}', debug: true}}",
        'wrote "{{\\"event\\":\\"login\\",\\"{camel}\\":\\"{s}\\"}}" to the queue',
        '{{"env":{{"PORT":"80","{key}":"{s}"}}}}',
        '{{"result":{{"{camel}":"{s}","expires_in":3600}}}}',
        '[{{"key":"{lower}","value":"{s}"}}]',
        '{{\\"{lower}\\":\\"{s}\\"}}',
        'data = {{"{key}" : "{s}"}}',
    ),
    "json_any": (
        '{{"note": "use {s} for now", "done": false}}',
        '["deploy", "{s}", 3]',
    ),
    "header": (
        "Authorization: Bearer {s}",
        "curl -H 'Authorization: Bearer {s}' https://api.example.com/v1/items",
        "X-Api-Key: {s}",
        "GET /v2/me HTTP/1.1\nHost: api.example.com\nX-Auth-Token: {s}\nAccept: */*",
        "authorization: token {s}",
        'headers = {{"x-api-key": "{s}", "Accept": "application/json"}}',
        "Cookie: theme=dark; session={s}; lang=en",
        "Set-Cookie: sid={s}; Path=/; HttpOnly; Secure",
        "{header}: {s}",
        "Authorization: ApiKey {s}",
        "> Authorization: Bearer {s}\n> User-Agent: curl/8.1",
        "Proxy-Authorization: Bearer {s}",
        '-H "Api-Key: {s}"',
        "req.setRequestHeader('X-Access-Token', '{s}')",
        "cookie: _ga=GA1.2.3; connect.sid={s}",
        "requests.get(url, headers={{'Authorization': f'Bearer {s}'}})",
        "X-Client-Secret: {s}\r\nContent-Length: 12",
        "authorization: Bearer {s}\naccept: text/html",
        '"Authorization": "Bearer {s}"',
        "X-{key}: {s}",
        "Authorization: Token token={s}",
        "Cookie: id=7; auth_token={s}",
        'http.Header{{"X-Api-Key": []string{{"{s}"}}}}',
        "x-auth-token:{s}",
    ),
    "url": (
        "https://api.example.com/v1/items?api_key={s}&page=2",
        "https://example.com/cb#access_token={s}&token_type=bearer",
        "open https://app.example.com/share?id=42&token={s} in the browser",
        "git clone https://deploy:{s}@git.example.com/team/repo.git",
        "postgres://app:{s}@db.internal:5432/orders?sslmode=require",
        "redis://:{s}@cache.internal:6379/0",
        "mongodb+srv://svc:{s}@cluster0.example.net/prod",
        "wss://stream.example.com/feed?client_secret={s}",
        "https://example.com/data.json?{lower}={s}",
        "amqp://worker:{s}@mq.example.com:5672/%2f",
        "https://{s}@git.example.com/team/app.git",
        "mysql://root:{s}@127.0.0.1:3306/shop",
        "http://admin:{s}@192.168.1.20:8080/status",
        "https://maps.example.com/tiles/1/2/3.png?access_token={s}",
        "GET /v1/search?q=shoes&apikey={s}&limit=10",
        "see https://example.org/hook?secret={s}#top for the callback",
        "jdbc:postgresql://db.example.com/app?user=app&password={s}",
        "ftp://backup:{s}@files.example.com/dump.tgz",
        "curl 'https://api.example.com/me?token={s}'",
        "https://example.com/login?user=ana&password={s}",
        "see <https://example.com/x?apiKey={s}>",
        "mongodb://root:{s}@a.example.com:27017,b.example.com:27017/admin",
        "https://example.com/oauth/callback?access_token={s}&expires_in=3600",
    ),
    "log": (
        "2025-03-01T12:00:03Z INFO auth: login ok user=ana token={s} ip=10.0.0.4",
        "[DEBUG] loaded {key}={s} from environment",
        'level=warn msg="retrying request" {lower}="{s}" attempt=3',
        "2025-03-01 09:14:22,118 ERROR client - 401 for key {noun}: {s}",
        "worker-3 | using {noun} {s}",
        "Mar  1 12:00:03 host app[811]: connect failed Server=db;User Id=sa;Password={s};Encrypt=true",
        "TRACE req headers={{'authorization': 'Bearer {s}', 'accept': '*/*'}}",
        "INFO running: deploy --env prod --token {s} --verbose",
        'DEBUG config {{"{lower}":"{s}","debug":true}}',
        "12:01:44.201 [main] WARN  c.a.Http - Authorization=Bearer {s} rejected",
        "time=2025-01-02T03:04:05Z level=info {lower}={s} msg=started",
        "Jan 02 03:04:05 web sudo: ops : COMMAND=/usr/bin/env {key}={s} ./run.sh",
        "ERROR Invalid {noun} provided: {s}. You can find yours in the settings.",
        'DEBUG:urllib3:https://api.example.com:443 "GET /me?access_token={s} HTTP/1.1" 200 512',
        "[audit] user 12 created {noun} '{s}'",
        "I0102 03:04:05 main.go:88] dialing amqps://svc:{s}@mq.example.com/vhost",
        "WARN [pool-2] bad response, sent header Authorization: Bearer {s}",
        'ts=12:00 caller=main.go:10 msg="loaded config" {lower}={s}',
        "DEBUG env dump: PATH=/bin {key}={s} HOME=/root",
        "ERROR 2025-01-01 could not authenticate with {noun} {s}",
        'error: {noun} "{s}" was rejected by upstream',
        "INFO connecting to postgres://svc:{s}@db:5432/app",
    ),
    "log_any": (
        "panic: unexpected response for {s} (status 403)",
        "DEBUG cache miss {s}",
    ),
}

# Written last and run once: no rule was changed because of these. When one is, move it up and write another.
HELD_OUT: dict[str, tuple[str, ...]] = {
    "prose": (
        "If anyone asks, {s} is the {noun} for the demo",
        "Support wanted my {noun} so I sent them {s} by mail, was that stupid?",
        "One more thing: our {noun} changed, it is {s} from today on",
        "try again with {s} please, that {noun} is fresh",
        "* {noun}: {s}\n* region: eu-west-1",
        "{noun} = {s}",
    ),
    "env": ("{key} ?= {s}", '    {lower}: "{s}"  # do not commit', "Environment={key}={s}", "{key}:={s}"),
    "json": (
        '{{"a":1,"auth":{{"{camel}":"{s}"}}}}',
        "{{'{camel}': u'{s}'}}",
        '{{"{lower}" :\n  "{s}"}}',
        'response: {{"status":"ok","{lower}":"{s}"}}',
    ),
    "header": (
        "set-cookie: token={s}; Secure",
        "X-Service-Token: {s}",
        "--header 'Authorization: Bearer {s}'",
        "[('authorization', 'Bearer {s}'), ('host', 'example.com')]",
    ),
    "url": (
        "https://svc:{s}@registry.example.com/v2/",
        "wget 'https://example.com/f.zip?auth_token={s}'",
        "rediss://default:{s}@redis.example.com:6380",
        "[link](https://example.com/a?secret_key={s})",
    ),
    "log": (
        '{{"level":"info","msg":"boot","{lower}":"{s}"}}',
        "E/Auth(1234): refresh failed, {lower}={s}, code=401",
        '10.1.2.3 - - [01/Jan/2025] "GET /p?api_key={s} HTTP/1.1" 200',
        "+ export {key}={s}",
    ),
}
HELD_OUT_KINDS = (
    bare("vercel", "Vercel token", "VERCEL_TOKEN", body(ALNUM, 24)),
    bare("plaid", "Plaid secret", "PLAID_SECRET", body(HEX, 30)),
    bare("segment", "Segment write key", "SEGMENT_WRITE_KEY", body(ALNUM, 32)),
    bare("trello", "Trello API key", "TRELLO_API_KEY", body(HEX, 32)),
    bare("zendesk", "Zendesk API token", "ZENDESK_API_TOKEN", body(ALNUM, 40)),
    bare("algolia", "Algolia admin key", "ALGOLIA_ADMIN_KEY", body(HEX, 32)),
    kind("nvidia", "NVIDIA key", "NVIDIA_API_KEY", "nv", "api-", body(ALNUM, 64)),
    kind("polar", "Polar token", "POLAR_ACCESS_TOKEN", "polar", "_oat_", body(ALNUM, 43)),
    kind("cal", "Cal.com key", "CALCOM_API_KEY", "cal", "_live_", body(HEX, 32)),
    kind("sourcegraph", "Sourcegraph token", "SRC_ACCESS_TOKEN", "sgp", "_", body(HEX, 40)),
    bare("encryption_key", "encryption key", "ENCRYPTION_KEY", body(BASE64, 43), "="),
    bare("short_password", "router password", "ROUTER_PASSWORD", body(ALNUM, 10), "7"),
)


def samples(seed: int, per_carrier: int = 3, *, held_out: bool = False) -> Iterator[Sample]:
    """`per_carrier` samples of every kind in each carrier it can travel in."""
    rng = random.Random(seed)
    for item in (*KINDS, *HELD_OUT_KINDS) if held_out else KINDS:
        for carrier in item.carriers:
            plain = TEMPLATES.get(f"{carrier}_any", ()) if item.prefixed else ()
            choices = HELD_OUT[carrier] if held_out else TEMPLATES[carrier] + plain
            for template in rng.sample(choices, min(per_carrier, len(choices))):
                yield set_in(carrier, template, item, rng)


def set_in(carrier: str, template: str, item: Kind, rng: random.Random) -> Sample:
    secret = encode(item.make(rng), carrier, template)
    words = item.key.lower().split("_")
    text_before, text_after = template.split("{s}")
    names = {
        "noun": item.noun,
        "key": item.key,
        "lower": item.key.lower(),
        "camel": words[0] + "".join(word.capitalize() for word in words[1:]),
        "header": "X-" + "-".join(word.capitalize() for word in words),
    }
    before, after = text_before.format(**names), text_after.format(**names)
    return Sample(item.name, carrier, before + secret + after, len(before), len(before) + len(secret))


def encode(secret: str, carrier: str, template: str) -> str:
    """The secret as this carrier writes it."""
    if carrier == "url":
        return quote(secret, safe="-._~$")
    if "\n" in secret and (carrier != "prose"):
        return secret.replace("\n", "\\\\n" if '\\"' in template else "\\n")
    return secret
