"""The database back end for PostgreSQL: Django's, with connections that notice when nobody is at
the other end any more."""
