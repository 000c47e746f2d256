"""Reference tables of people (names, log-ins, keys) and the read table of roles.

Names, log-ins and keys are the truth here and change only through people.services; roles are
derived from events.
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils.crypto import salted_hmac

from eventstore.models import ReadModel


class Person(models.Model):
    """One human, known to the log by an opaque id only.

    `public_name` is the name that a player chose for what others see; empty: `display_name`.
    `merged_into`: this id was the same human as that one, whose names count.
    """

    id = models.CharField(max_length=36, primary_key=True)
    display_name = models.CharField(max_length=80)
    sort_name = models.CharField(max_length=80, blank=True)
    folded = models.CharField(max_length=160, db_index=True)
    card_game_id = models.CharField(max_length=10, null=True, blank=True, unique=True)
    language = models.CharField(max_length=5, choices=settings.LANGUAGES, default="en")
    public_name = models.CharField(max_length=80, blank=True, default="")
    merged_into = models.CharField(max_length=36, blank=True, default="", db_index=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["folded", "id"]
        verbose_name_plural = "people"

    def __str__(self) -> str:
        return self.display_name


class AccountManager(BaseUserManager["Account"]):
    """Finds log-ins by user name."""

    def get_by_natural_key(self, username: str | None) -> Account:
        """Return the log-in of a user name; raises Account.DoesNotExist."""
        return self.get(username=username)


class Account(AbstractBaseUser):
    """A log-in of one person. What it may do is decided by roles, not by fields here."""

    username = models.CharField(max_length=60, unique=True)
    person = models.OneToOneField(Person, on_delete=models.PROTECT, related_name="account")
    is_active = models.BooleanField(default=True)
    theme = models.CharField(
        max_length=5, choices=[(word, word) for word in ("auto", "light", "dark")], default="auto"
    )
    epoch = models.PositiveIntegerField(default=0)
    """Grows when every session of the log-in is to end."""

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar = ["person"]
    objects = AccountManager()

    def __str__(self) -> str:
        return self.username

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Bind a session to the password and to the epoch: a change of either ends it."""
        kept = f"{self.password}\0{self.epoch}"
        return salted_hmac("people.session", kept, secret=secret, algorithm="sha256").hexdigest()

    @property
    def is_staff(self) -> bool:
        """Whether /admin is open to it: the site's organisers only."""
        from people.selectors import actor_for

        return self.is_active and actor_for(self.person_id, signed_in=True).site_organiser

    def has_perm(self, perm: str, obj: object = None) -> bool:
        """Answer the admin: looking is for those it lets in; changes go through commands."""
        return self.is_staff

    def has_module_perms(self, app_label: str) -> bool:
        """Answer the admin for a whole app."""
        return self.is_staff


class PersonKey(models.Model):
    """The key under which a person's own free text is sealed. Destroying it erases the text.

    `older` are keys of the same person (base64) that a restore on another machine put aside, and
    under which older texts are sealed; `key` is empty until the person writes again."""

    person_id = models.CharField(max_length=36, primary_key=True)
    key = models.BinaryField()
    older = models.JSONField(default=list)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.person_id


class ApiToken(models.Model):
    """A token for the API, kept as a hash. `scopes` are words of people.domain.scopes;
    `event_id` binds it to one event; `used_at` is true to some minutes."""

    id = models.CharField(max_length=36, primary_key=True)
    digest = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    label = models.CharField(max_length=60)
    scopes = models.JSONField()
    event_id = models.CharField(max_length=36, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "id"]

    def __str__(self) -> str:
        return self.label


class RoleRow(ReadModel):
    """A role of a person, in one event or (event_id empty) for the site."""

    key = models.CharField(max_length=120, primary_key=True)
    person_id = models.CharField(max_length=36, db_index=True)
    event_id = models.CharField(max_length=36, blank=True, db_index=True)
    role = models.CharField(max_length=20)
    until = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "people_role"
        verbose_name = "role"

    def __str__(self) -> str:
        return f"{self.role} {self.event_id}"


class SecondFactor(models.Model):
    """The authenticator app of a log-in. The secret is wrapped under a key that is never in the
    database; `last_step` is the newest time step whose code was used, so that none works twice."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE)
    sealed = models.BinaryField()
    last_step = models.BigIntegerField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.pk)


class RecoveryCode(models.Model):
    """A code for the day the phone is lost, kept as a hash; it works once."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE)
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "digest"], name="people_recovery_once")
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ThrottleRow(models.Model):
    """Counted attempts of one key (people.throttle); the key is a hash."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    last = models.FloatField(default=0, db_index=True)

    def __str__(self) -> str:
        return self.key


class LinkEnd(ReadModel):
    """When the join links of an event, or of one person in it, were ended: older ones are dead."""

    key = models.CharField(max_length=80, primary_key=True)
    event_id = models.CharField(max_length=36)
    person_id = models.CharField(max_length=36, blank=True)
    at = models.CharField(max_length=27)

    class Meta:
        db_table = "people_link_end"

    def __str__(self) -> str:
        return self.key
