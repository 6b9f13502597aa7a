"""What `eval_doctor` looks at: the settings as they are in effect, and what is wrong with what they name."""

from __future__ import annotations

from neuron_evals.management.doctor.effective import Secrets, effective_settings
from neuron_evals.management.doctor.findings import Finding
from neuron_evals.management.doctor.rows import row_findings
from neuron_evals.management.doctor.services import setting_findings

__all__ = ["Finding", "Secrets", "effective_settings", "row_findings", "setting_findings"]
