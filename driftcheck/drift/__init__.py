"""Judges records by the schemas of their version, and collects the drift."""
