"""The words that the agent understands, as patterns over text in lower case without accents."""

from __future__ import annotations

from enum import StrEnum


class Intent(StrEnum):
    PERSONAL_DATA = "personal_data"
    SUMMARY = "summary"
    REFUND_POLICY = "refund_policy"
    REFUND_QUESTION = "refund_question"
    REFUND = "refund"
    TOTAL = "total"
    SHIPPING = "shipping"
    HOURS = "hours"
    STATUS = "status"
    GREETING = "greeting"
    UNKNOWN = "unknown"


def _words(*patterns: str) -> str:
    return rf"\b({'|'.join(patterns)})\b"


_REFUND = _words(
    r"refund\w*", r"return\w*", "money back", "send(ing)? (it|them|this) back",
    r"reembols\w*", r"devol\w*", r"rembours\w*", r"erstatt\w*", r"zuruck\w*", "reso", r"rimbors\w*",
)  # fmt: skip
_MAY = _words("can", "could", "may", "able", "eligible", "possible", "still", "until", "puedo", "puis", "kann", "posso")

RULES = (
    (
        Intent.PERSONAL_DATA,
        _words(
            "e-?mails?", "(phone|telephone|card) numbers?", "address(es)?", "personal data", "passwords?", "customers?",
            "correo", "adresse", "who (bought|ordered)",
        ),
    ),
    (Intent.SUMMARY, _words("json")),
    (
        Intent.REFUND_POLICY,
        _words("policy", "policies", "politica", "politique", "final sale") + rf"|\bhow (long|many days)\b.*{_REFUND}",
    ),
    (Intent.REFUND_QUESTION, rf"{_MAY}.*{_REFUND}|{_REFUND}.*" + _words("possible", "eligible", "allowed")),
    (Intent.REFUND, _REFUND),
    (
        Intent.TOTAL,
        _words(
            "total", "cost me", "did i pay", "i paid", "how much (was|did)", "amount", "invoice",
            "cuanto pague", "combien .*paye", "bezahlt",
        ),
    ),
    (
        Intent.SHIPPING,
        _words(
            "shipping", "postage", "(ship|deliver|send) to", "delivery (cost|charge|fee)s?",
            "envio", "livraison", "frais de port", r"versand\w*", "spedizione",
        ),
    ),
    (
        Intent.HOURS,
        _words(
            "opens?", "opening", "closes?", "closed", "closing", "hours", "shut", "horario", "abierto", "abren",
            r"ouvert\w*", "horaires", "geoffnet", "offnungszeiten", "offen", "orari", "aperti",
        ),
    ),
    (
        Intent.STATUS,
        _words(
            "where", r"track\w*", "status", r"arriv\w*", "shipped", r"deliver\w*", "package", "parcel", "order",
            "pedido", "donde", "commande", "colis", "wo", "bestellung", "paket", "ordine", "pacco",
        ),
    ),
    (
        Intent.GREETING,
        r"^\W*" + _words("hi", "hello", "hey", "good (morning|afternoon|evening)", "hola", "bonjour", "hallo", "ciao"),
    ),
)  # fmt: skip
"""Patterns of each intent; the first one that is found decides."""

WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "lunes": 0, "martes": 1, "miercoles": 2, "jueves": 3, "viernes": 4, "sabado": 5, "domingo": 6,
    "lundi": 0, "mardi": 1, "mercredi": 2, "jeudi": 3, "vendredi": 4, "samedi": 5, "dimanche": 6,
    "montag": 0, "dienstag": 1, "mittwoch": 2, "donnerstag": 3, "freitag": 4, "samstag": 5, "sonntag": 6,
}  # fmt: skip
MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6,
    "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
}  # fmt: skip
FEASTS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    r"st\.? stephen": (12, 26),
    "new year's eve": (12, 31),
    "new year": (1, 1),
}
"""Month and day of the days that have a name."""

COUNTRIES = {
    "france": "France", "francia": "France",
    "germany": "Germany", "deutschland": "Germany", "allemagne": "Germany",
    "ireland": "Ireland", "irlande": "Ireland", "irlanda": "Ireland",
    "norway": "Norway",
    "spain": "Spain", "espana": "Spain", "espagne": "Spain",
    "united kingdom": "United Kingdom", "uk": "United Kingdom", "england": "United Kingdom", "wales": "United Kingdom",
    "scotland": "United Kingdom",
}  # fmt: skip
