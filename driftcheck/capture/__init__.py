"""Capture: fresh transcripts that real, published Claude Code versions wrote while a scripted model answered them."""

from driftcheck.capture.census import kinds_of
from driftcheck.capture.install import InstallError, Program, installed, latest, published
from driftcheck.capture.manifest import ManifestError, VersionCapture, coverage, read_all
from driftcheck.capture.run import Progress, capture
from driftcheck.capture.scenario import Scenario, ScenarioError, packaged

__all__ = [
    "InstallError",
    "ManifestError",
    "Program",
    "Progress",
    "Scenario",
    "ScenarioError",
    "VersionCapture",
    "capture",
    "coverage",
    "installed",
    "kinds_of",
    "latest",
    "packaged",
    "published",
    "read_all",
]
