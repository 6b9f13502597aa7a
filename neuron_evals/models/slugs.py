"""Rows that people name and commands find: a name, and a slug that is made from it once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, ClassVar, Self, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, router, transaction
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.core.bounds import MAX_NAME
from neuron_evals.core.jsonable import clean_text
from neuron_evals.core.printable import printable
from neuron_evals.models.deletion import explained_refusal
from neuron_evals.models.fields import CleanCharField
from neuron_evals.models.validators import validate_name

MAX_SLUG = 80
"""Greatest length of a slug, in characters."""

_TRIES = 20
_DIGEST = 8


def slug_for(name: str, kind: str) -> str:
    """Return the slug that a name gives, before others are looked at: never empty, never digits alone.

    Args:
        name: The name, in any script.
        kind: A word for what is named, such as `"suite"`. It begins the slug of a name that gives nothing, followed by
            a hash of the name; and of one that gives digits, which would look like the number of a row.
    """
    slug = slugify(name)[: MAX_SLUG - len(kind) - 1].strip("-_")
    if not slug:
        return f"{kind}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:_DIGEST]}"
    return f"{kind}-{slug}" if slug.isdecimal() else slug


def free_slug(slug: str, taken: Iterable[str]) -> str:
    """Return `slug`, or the first of `slug-2`, `slug-3` that is not taken."""
    used = set(taken)
    free, number = slug, 1
    while free in used:
        number += 1
        end = f"-{number}"
        free = slug[: MAX_SLUG - len(end)] + end
    return free


def validate_slug(slug: str) -> None:
    """Refuse a slug of digits alone: commands take the number of a row in the same place."""
    if slug.isdecimal():
        raise ValidationError(_("A slug needs a letter: digits alone are the number of a row."), code="digits")


class NameField(CleanCharField):
    """A name, by the one rule for names of suites and agents."""

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Refuse what is no name."""
        super().validate(value, model_instance)
        validate_name(value)


class Named(models.Model):
    """A row with a name, and a slug that never changes once it is stored."""

    KIND: ClassVar[str]
    _stored_name: str | None = None
    _stored_slug: str | None = None

    name = NameField(_("name"), max_length=MAX_NAME)
    slug = models.SlugField(
        _("slug"),
        max_length=MAX_SLUG,
        db_index=False,
        blank=True,
        validators=[validate_slug],
        help_text=_("What commands and addresses use. Made from the name when empty; never changes afterwards."),
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        """Return the name, with escapes in the place of what could drive a terminal or reorder a page."""
        return printable(str(self.name))

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the row; a new one without a slug gets one from its name, with a number when that is taken.

        Raises:
            ValidationError: The slug differs from the stored one, or is digits alone; or the name is none, unless it
                was stored before there was this rule.
        """
        self._refuse_new_name()
        if self._state.adding and not self.slug:
            self._save_with_new_slug(*args, **kwargs)
        else:
            self._refuse_new_slug()
            super().save(*args, **kwargs)
        self._note_stored()

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the row, unless others need it.

        Raises:
            ProtectedError: Others do.
        """
        with explained_refusal(_INSTEAD):
            return super().delete(*args, **kwargs)

    @classmethod
    def from_db(cls, db: str | None, field_names: Any, values: Any, **kwargs: Any) -> Self:
        """Return the row, and remember its name and slug."""
        row = super().from_db(db, field_names, values, **kwargs)
        row._note_stored()  # noqa: SLF001
        return row

    def clean(self) -> None:
        """Refuse a slug that differs from the stored one.

        Raises:
            ValidationError: It does.
        """
        super().clean()
        self._refuse_other_slug()

    def _save_with_new_slug(self, *args: Any, **kwargs: Any) -> None:
        using = kwargs.get("using") or router.db_for_write(type(self), instance=self)
        base = slug_for(self.name, self.KIND)
        rows = type(self)._default_manager.using(using)  # noqa: SLF001  (Django's documented name)
        stem = base[: MAX_SLUG - _DIGEST]
        reserved = list(self.reserved_slugs())
        for attempt in range(_TRIES):
            taken = rows.filter(slug__startswith=stem).values_list("slug", flat=True)
            self.slug = free_slug(base, [*taken, *reserved])
            try:
                with transaction.atomic(using):
                    super().save(*args, **kwargs)
            except IntegrityError:
                # Somebody else took the slug in between; or the row breaks another rule, and will again.
                slug, self.slug = self.slug, ""
                if attempt == _TRIES - 1 or not rows.filter(slug=slug).exists():
                    raise
            else:
                return

    def reserved_slugs(self) -> Iterable[str]:
        """Return slugs that mean something else already, so that none is made of them."""
        return ()

    def _note_stored(self) -> None:
        self._stored_name = self.__dict__.get("name")
        self._stored_slug = self.__dict__.get("slug")

    def _refuse_new_name(self) -> None:
        name = self.__dict__.get("name", self._stored_name)
        if self._state.adding or name != self._stored_name:
            try:
                validate_name(str(name))
            except ValidationError as exc:
                raise ValidationError({"name": exc}) from None

    def _refuse_new_slug(self) -> None:
        if "slug" not in self.__dict__:  # left in the database
            return
        validate_slug(self.slug)
        self._refuse_other_slug()

    def _refuse_other_slug(self) -> None:
        if "slug" in self.__dict__ and not self._state.adding and self._stored_slug not in (None, self.slug):
            msg = _('The slug is "%(slug)s" and never changes: commands and addresses use it.')
            raise ValidationError({"slug": ValidationError(msg, code="slug", params={"slug": self._stored_slug})})


Row = TypeVar("Row", bound=Named)


class NamedQuerySet(models.QuerySet[Row]):
    """Rows with a slug."""

    def active(self) -> Self:
        """Return those that are in use."""
        return self.filter(is_active=True)

    def find(self, reference: str | int) -> Row:
        """Return the row with that slug, or that number.

        Raises:
            DoesNotExist: There is none; the message names the nearest slug.
        """
        text = clean_text(str(reference))
        wanted = {"pk": int(text)} if text.isascii() and text.isdecimal() else {"slug": text}
        found = self.filter(**wanted).first() if wanted.get("pk", 0) <= _LARGEST_KEY else None  # type: ignore[operator]
        if found is None:
            near = conf.did_you_mean(text, self.values_list("slug", flat=True))
            msg = f'There is no {self.model._meta.verbose_name} "{text}". {near}'.rstrip()  # noqa: SLF001
            raise self.model.DoesNotExist(msg)
        return found

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the rows, unless others need them.

        Raises:
            ProtectedError: Others do.
        """
        with explained_refusal(_INSTEAD):
            return super().delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]


_LARGEST_KEY = 2**63 - 1
_INSTEAD = "Deactivate it instead."
