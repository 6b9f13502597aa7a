"""Questions to agents that answer in JSON: fences for what they are shown, reading, and asking once more."""
