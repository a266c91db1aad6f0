"""Verify the answer of any system: `python examples/integrations/three_lines.py`."""

import surefoot

result = surefoot.verify("The late fee for a DVD is R9 a day.", ["The late fee for a DVD is R5 a day."])
print(f"{result.decision}: {result.text}")
