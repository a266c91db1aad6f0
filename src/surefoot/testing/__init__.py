"""For tests of your own packs and flows: models that say what you tell them, builders, a clock you hold, a server."""

from surefoot.llm.recorded import RecordedModel, Recording
from surefoot.testing.builders import passage, reply, request, retrieval, verify_input
from surefoot.testing.clock import FakeClock, run_in_virtual_time
from surefoot.testing.models import FailingModel, RoleModel, ScriptedModel
from surefoot.testing.retriever import WordRetriever
from surefoot.testing.server import LocalModelServer, ServerPlan

__all__ = [
    "FailingModel",
    "FakeClock",
    "LocalModelServer",
    "RecordedModel",
    "Recording",
    "RoleModel",
    "ScriptedModel",
    "ServerPlan",
    "WordRetriever",
    "passage",
    "reply",
    "request",
    "retrieval",
    "run_in_virtual_time",
    "verify_input",
]
