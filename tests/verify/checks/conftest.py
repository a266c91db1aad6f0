"""Makes tests/support importable: how one pack-driven check is run on a draft."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
