"""Surefoot answers questions from a knowledge base and lets nothing out that it cannot prove."""

__version__ = "0.1.0"
