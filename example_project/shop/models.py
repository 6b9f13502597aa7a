"""The rows of a small tea shop. Money is in euros."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from django.db import models

RETURN_DAYS = 30
"""How many days after delivery an order can be returned; the last one counts."""


class Customer(models.Model):
    name = models.CharField(max_length=100)
    email = models.EmailField(unique=True)

    def __str__(self) -> str:
        return self.name


class Product(models.Model):
    name = models.CharField(max_length=100, unique=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    returnable = models.BooleanField(help_text="Teaware is; tea and gift cards are final sale.")

    def __str__(self) -> str:
        return self.name


class Order(models.Model):
    class Status(models.TextChoices):
        PROCESSING = "processing"
        SHIPPED = "shipped"
        DELIVERED = "delivered"
        CANCELLED = "cancelled"

    number = models.PositiveIntegerField(unique=True)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="orders")
    status = models.CharField(max_length=10, choices=Status.choices)
    placed_on = models.DateField()
    shipped_on = models.DateField(null=True, blank=True)
    delivered_on = models.DateField(null=True, blank=True)
    tracking = models.CharField(max_length=20, blank=True)
    shipping = models.DecimalField(max_digits=8, decimal_places=2)

    def __str__(self) -> str:
        return str(self.number)

    @property
    def total(self) -> Decimal:
        """What the customer paid, shipping included."""
        return self.shipping + sum((line.amount for line in self.lines.all()), Decimal())

    @property
    def returnable_amount(self) -> Decimal:
        """What comes back when everything that can be returned is returned."""
        return sum((line.amount for line in self.lines.all() if line.product.returnable), Decimal())

    @property
    def return_until(self) -> date | None:
        """The last day on which the order can be returned; `None` before it was delivered."""
        return None if self.delivered_on is None else self.delivered_on + timedelta(days=RETURN_DAYS)


class OrderLine(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="+")
    quantity = models.PositiveSmallIntegerField()
    price = models.DecimalField(max_digits=8, decimal_places=2, help_text="Of one piece, on the day of the order.")

    def __str__(self) -> str:
        return f"{self.quantity} x {self.product}"

    @property
    def amount(self) -> Decimal:
        return self.quantity * self.price


class Refund(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="refunds")
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    granted_on = models.DateField()

    def __str__(self) -> str:
        return f"{self.amount} EUR for order {self.order}"


class OpeningHours(models.Model):
    """One weekday; a weekday without a row is a day on which the shop is closed."""

    weekday = models.PositiveSmallIntegerField(unique=True, help_text="Monday is 0.")
    opens = models.TimeField()
    closes = models.TimeField()

    class Meta:
        ordering = ("weekday",)
        verbose_name_plural = "opening hours"

    def __str__(self) -> str:
        return f"{self.opens:%H:%M} to {self.closes:%H:%M}"


class ClosedDay(models.Model):
    day = models.DateField(unique=True)
    reason = models.CharField(max_length=100)

    def __str__(self) -> str:
        return f"{self.day}: {self.reason}"


class ShippingRate(models.Model):
    country = models.CharField(max_length=60, unique=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    free_from = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    days_min = models.PositiveSmallIntegerField()
    days_max = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("country",)

    def __str__(self) -> str:
        return self.country
