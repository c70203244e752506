"""Rewrites records without anybody's words: the same shapes, links and findings, and nothing else."""

from driftcheck.redact.run import redact

__all__ = ["redact"]
