"""The one settings file. Everything that differs between machines is in the environment:
config/variables.py is the table of it, docs/running.md tells it to people.
"""

from __future__ import annotations

import os
from pathlib import Path

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from django.conf import global_settings
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from config import database, env, logs, slow

BASE_DIR = Path(__file__).resolve().parent.parent
env.check()
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / "var")
DEBUG = env.flag("DEBUG")
LAN = env.flag("LAN")
TLS_HERE = env.value("HTTPS_CERT") is not None
"""Whether the server itself speaks TLS; else a proxy in front of it does, if HTTPS is on."""
HTTPS = TLS_HERE or env.flag("HTTPS")
SECRET_KEY = env.secret("SECRET_KEY", DATA_DIR / "secret.key")
# On a LAN the address is whatever the router gave, so any host is taken; cookies stay host-only.
ALLOWED_HOSTS = env.value("ALLOWED_HOSTS") or (
    ["*"] if LAN else ["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.value("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "eventstore",
    "people",
    "cards",
    "decks",
    "duels",
    "tournaments",
    "judging",
    "portal",
]

MIDDLEWARE = [
    "config.requests.RequestMiddleware",
    "config.probes.ProbeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "people.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "people.middleware.ActorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "people.middleware.GuardMiddleware",
    "portal.live.middleware.LiveMiddleware",
    "people.middleware.OutboxMiddleware",
    "people.middleware.OfflineMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["portal.templatetags.cached_urls"],
            "libraries": {"i18n": "portal.templatetags.cached_i18n"},
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "portal.context.shell",
            ],
        },
    }
]

# ours stands in the place of Django's i18n on purpose
SILENCED_SYSTEM_CHECKS = ["templates.W003"]

DATABASES = {"default": database.connection_settings(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.value("REDIS_URL") or ""
REDIS_PREFIX = env.value("REDIS_PREFIX")
THROTTLE_PREFIX = f"{REDIS_PREFIX}:throttle"
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": REDIS_PREFIX,
            # a help only: no request waits for it longer than this
            "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
        }
    }
BACKGROUND = env.value("BACKGROUND")
"""Who does the work of the outbox: `thread` (embedded), `celery`, or `none` (tests, commands)."""
BACKUP_DIR = env.value("BACKUP_DIR")
"""The second path of the backups, such as a USB stick (docs/backups.md); None: none."""
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"celery": {}, "long": {}, "outside": {}}
"""A worker takes all, unless `-Q` names some: then what takes minutes, or waits for a server
elsewhere, holds up nothing else."""
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": f"{REDIS_PREFIX}:",
    "socket_timeout": 5.0,
    "socket_connect_timeout": 1.0,
}
CELERY_BEAT_SCHEDULE = {
    "outbox": {
        "task": "config.celery.drain_outbox", "schedule": 5.0, "options": {"expires": 5.0}
    },
    "long work": {
        "task": "config.celery.drain_outbox", "schedule": 5.0, "args": ("long",),
        "options": {"expires": 5.0, "queue": "long"},
    },
    "outside": {
        "task": "config.celery.drain_outbox", "schedule": 5.0, "args": ("outside",),
        "options": {"expires": 5.0},
    },
    "periodic": {
        "task": "config.celery.run_periodic", "schedule": 1.0, "options": {"expires": 1.0}
    },
}  # fmt: skip
"""Four ticks only: what is periodic, and how often, stands in eventstore.periodic."""
LEASE_SECONDS = env.value("LEASE_SECONDS")
"""How long background work belongs to a process that no longer says it is at it."""

AUTH_USER_MODEL = "people.Account"
PASSWORD_HASHERS = [
    "people.hashers.Argon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username",)},
    },
]
SECOND_FACTOR = env.value("SECOND_FACTOR") or ("required" if HTTPS else "offered")
"""Whether organisers, head judges and the site's organiser must have a second factor. Who has
one is always asked for it."""
LOGIN_URL = reverse_lazy("portal:sign_in")
LOGIN_REDIRECT_URL = reverse_lazy("portal:home")

SESSION_ENGINE = "people.sessionstore"
SESSION_COOKIE_NAME = "headjudge_session"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
STAFF_SESSION_SECONDS = env.value("STAFF_SESSION_SECONDS")
STAFF_IDLE_SECONDS = env.value("STAFF_IDLE_SECONDS")
"""A session of staff ends after a long day, and after some hours without a request."""
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = None if LAN and not HTTPS else "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS and not TLS_HERE else None
SECURE_HSTS_SECONDS = env.value("HSTS_SECONDS")
X_FRAME_OPTIONS = "DENY"
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "browsing-topics", "camera", "display-capture", "geolocation",
        "gyroscope", "magnetometer", "microphone", "midi", "payment", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip
"""The pages ask the browser for nothing of this; a page that was tampered with gets it neither."""
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "style-src": [SELF],
        "script-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
ADMIN_CONTENT_SECURITY_POLICY = {
    "default-src": [SELF],
    "img-src": [SELF, "data:"],
    "style-src": [SELF, UNSAFE_INLINE],
    "script-src": [SELF, UNSAFE_INLINE, UNSAFE_EVAL],
    "object-src": [NONE],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
"""/admin is Unfold, whose Alpine build needs eval and inline handlers."""
WEBHOOKS_PRIVATE = env.flag("WEBHOOKS_PRIVATE")
"""Whether webhooks and push messages may go to addresses of the own network, and without TLS."""
SITE_URL = env.value("SITE_URL") or ""
"""Where people reach the pages, as messages say it: https://duels.example.org, or empty."""
MAIL_FROM = env.value("MAIL_FROM") or ""
MAIL_SERVER = env.value("MAIL_URL")
"""Where mail is handed over (config.variables.MailServer), None: no mail is sent or promised."""
PUSH_CONTACT = env.value("PUSH_CONTACT") or (SITE_URL if SITE_URL[:6] == "https:" else "")
"""Where the keeper of a push service reaches the keeper of this server."""
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 11 * 1024 * 1024
"""More than a photo may have: none is written to disk on its way."""
DATA_UPLOAD_MAX_NUMBER_FIELDS = 3000
"""Three a table for a round of a thousand tables that was run on paper."""
DATA_UPLOAD_MAX_NUMBER_FILES = 1
BODY_LIMITS = [("/admin/cards/", 64 << 20), ("/staff/photos/", 11 << 20), ("/", 2 << 20)]
"""Largest request in bytes, by the beginning of its path: what people send is a deck list, staff
send photos, and the site's organiser a card database. Larger ones are read by manage.py
import_cards."""

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("hu", "Magyar"),
    ("hr", "Hrvatski"),
    ("vi", "Tiếng Việt"),
    ("pl", "Polski"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = env.value("STATIC_DIR") or DATA_DIR / "static"
STATIC_COLLECTED = env.value("STATIC_DIR") is not None
"""Whether static files carry their hash in the name (collectstatic has run): browsers then keep
them for ever, and a new version is a new name. Else they are served from where they lie."""
if STATIC_COLLECTED:
    STORAGES = {
        **global_settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
WHITENOISE_USE_FINDERS = not STATIC_COLLECTED
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ROOT = BASE_DIR / "portal" / "at_root"
"""Files that browsers ask for at the root, whatever a page names."""

API_RATE = env.value("API_RATE")
"""Requests of one caller of the API: a number and sec, min, hour or day; empty: no limit."""
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "people.authentication.TokenAuthentication",
        "people.authentication.ActorSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_THROTTLE_CLASSES": ["people.rates.CallerRate"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.parsing.Parser"],
    "DEFAULT_PAGINATION_CLASS": "config.api.Pages",
    "PAGE_SIZE": 50,
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Schema",
    "EXCEPTION_HANDLER": "config.api.problem_handler",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Headjudge API",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "DESCRIPTION": "Tournaments, duels and rulings of Headjudge. Reads answer what the caller may "
    "know; a command is a POST. docs/api.md tells the manners of it.",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_PUBLIC": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["config.openapi.complete"],
}

UNFOLD = {
    "SITE_TITLE": "Headjudge",
    "SITE_HEADER": "Headjudge",
    "SITE_URL": "/",
    "ENVIRONMENT": "portal.context.admin_mark",
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": lambda request: static("portal/mark.svg"),
        },
    ],
    "STYLES": [lambda request: static("portal/admin.css")],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "SIDEBAR": {
        "show_search": True,
        "navigation": [
            {
                "title": _("Events"),
                "items": [
                    {
                        "title": _("Tournaments"),
                        "icon": "trophy",
                        "link": reverse_lazy("admin:tournaments_eventrow_changelist"),
                    },
                ],
            },
            {
                "title": _("Reference"),
                "items": [
                    {
                        "title": _("People"),
                        "icon": "group",
                        "link": reverse_lazy("admin:people_person_changelist"),
                    },
                    {
                        "title": _("Cards"),
                        "icon": "style",
                        "link": reverse_lazy("admin:cards_card_changelist"),
                    },
                    {
                        "title": _("Banlists"),
                        "icon": "block",
                        "link": reverse_lazy("admin:cards_banlist_changelist"),
                    },
                    {
                        "title": _("Deck presets"),
                        "icon": "rule",
                        "link": reverse_lazy("admin:decks_presetversion_changelist"),
                    },
                ],
            },
            {
                "title": _("Log"),
                "items": [
                    {
                        "title": _("Background work"),
                        "icon": "pending_actions",
                        "link": reverse_lazy("portal:jobs"),
                    },
                    {
                        "title": _("Events of the log"),
                        "icon": "receipt_long",
                        "link": reverse_lazy("admin:eventstore_event_changelist"),
                    },
                ],
            },
        ],
    },
}

_access = env.value("ACCESS_LOG")
ACCESS_LOG = env.value("LOG_FORMAT") == "json" if _access is None else _access
"""Whether each request is a line of the log; usual where programs read the log."""
LOGGING = logs.settings(env.value("LOG_LEVEL"), env.value("LOG_FORMAT"), access=ACCESS_LOG)
logs.through_logging(env.value("LOG_FORMAT"))
SLOW_QUERY_MS = env.value("SLOW_QUERY_MS")
"""Statements and commands that take longer are logged, without their values; 0: none."""
slow.watch(SLOW_QUERY_MS)
TRUSTED_PROXIES = env.value("TRUSTED_PROXIES")
METRICS_TOKEN = env.value("METRICS_TOKEN") or ""
METRICS_DIR = str(env.value("METRICS_DIR") or "")
if METRICS_DIR:
    # prometheus_client reads it when it is first imported
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = METRICS_DIR
    try:
        Path(METRICS_DIR).mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ImproperlyConfigured(f"METRICS_DIR={METRICS_DIR!r}: {fault.strerror}") from None
