"""Logs of language models as they are written: replies in responses of APIs, logs of harnesses."""
