"""Stands here so that tests in every folder can import the modules beside it: `records` and `command`."""
