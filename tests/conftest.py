"""Generated examples may take their time: machines are shared, and no test asserts speed."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("surefoot", deadline=None)
settings.load_profile("surefoot")
