"""Settings with an agent and a launcher, and people with permissions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client, override_settings

from tests.admin.launchers import Noting

SETTINGS = {
    "AGENTS": {"support": "tests.testapp.agents.echo"},
    "PROVIDERS": {"canned": {"BACKEND": "tests.testapp.agents.CannedProvider"}},
    "TOOLS": {"lookup": "tests.testapp.agents.lookup"},
    "LAUNCHER": "tests.admin.launchers.Noting",
}


@pytest.fixture(autouse=True)
def _settings():
    Noting.launched.clear()
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


@pytest.fixture
def signed_in(db) -> Callable[..., Client]:
    """Gives a client in which a member of the staff with these permissions of the app is signed in."""

    def client_of(*codenames: str, **columns: bool) -> Client:
        users = get_user_model().objects
        person = users.create(username=f"person-{users.count()}", is_staff=True, **columns)
        found = Permission.objects.filter(content_type__app_label="neuron_evals", codename__in=codenames)
        assert found.count() == len(set(codenames))
        person.user_permissions.set(found)
        client = Client()
        client.force_login(person)
        return client

    return client_of


@pytest.fixture
def root(signed_in) -> Client:
    """A client in which a superuser is signed in."""
    client: Client = signed_in(is_superuser=True)
    return client
