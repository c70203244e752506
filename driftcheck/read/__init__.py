"""Finds files, tells what surface each is, and reads its records in flat memory."""
