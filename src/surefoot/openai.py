"""`surefoot.openai.verified(client, sources=…)`: an OpenAI client whose answers are proven before they are seen."""

from surefoot.integrations.openai import VerifiedClient, verified

__all__ = ["VerifiedClient", "verified"]
