"""Lets tests in every folder import the modules beside this one, `records` and `command`; sets up hypothesis."""

from hypothesis import settings

settings.register_profile("driftcheck", deadline=None)  # how fast a machine is says nothing about what is tested
settings.load_profile("driftcheck")
