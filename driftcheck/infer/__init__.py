"""Learns from records what the schemas should say."""
