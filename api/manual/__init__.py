"""The manual pages of an API table: used by api/man.py."""
