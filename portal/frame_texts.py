"""Texts of the web framework's forms and passwords that its own catalogues lack in one of our
languages. Marked here, they stand in our catalogues, which go before the framework's; a test
compares them with what is missing there."""

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

FORMS = (
    _("Enter a valid “slug” consisting of letters, numbers, underscores or hyphens."),
    _("Enter a valid “slug” consisting of Unicode letters, numbers, underscores, or hyphens."),
    _(
        "File extension “%(extension)s” is not allowed. "
        "Allowed extensions are: %(allowed_extensions)s."
    ),
    _("Null characters are not allowed."),
    _("“%(value)s” value must be either True or False."),
    _("“%(value)s” value must be either True, False, or None."),
    _("“%(value)s” value has an invalid date format. It must be in YYYY-MM-DD format."),
    _("“%(value)s” value has the correct format (YYYY-MM-DD) but it is an invalid date."),
    _("“%(value)s” value must be an integer."),
    _("“%(value)s” is not a valid UUID."),
    _("“%(pk)s” is not a valid value."),
    _("%(model)s instance with %(field)s %(value)r is not a valid choice."),
    _("%(model)s instance with %(field)s %(value)r does not exist."),
    _(
        "%(datetime)s couldn’t be interpreted in time zone %(current_timezone)s; "
        "it may be ambiguous or it may not exist."
    ),
    _("Year"),
    _("Month"),
    _("Day"),
    _("That page number is not an integer"),
    _("That page number is less than 1"),
    _("That page contains no results"),
    _("Enter a valid duration."),
    _("Enter a complete value."),
    _("Enter a valid UUID."),
    _("Enter a valid JSON."),
    _("ManagementForm data is missing or has been tampered with"),
    _("This is not a valid IPv6 address."),
    _("Enter a valid domain name."),
    _("Ensure this value is a multiple of step size %(limit_value)s."),
    _("The number of days must be between {min_days} and {max_days}."),
)
PASSWORDS = (
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
    ),
    _("The password is too similar to the %(verbose_name)s."),
    _("Your password can't be too similar to your other personal information."),
    _("This password is too common."),
    _("Your password can't be a commonly used password."),
    _("Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only."),
    _(
        "Enter a valid username. "
        "This value may contain only letters, numbers, and @/./+/-/_ characters."
    ),
)
