"""Routes of the shell, open to everyone."""

from django.urls import path

from portal.pages import shell

app_name = "portal"
urlpatterns = [
    path("", shell.home, name="home"),
    path("sign-in/", shell.sign_in, name="sign_in"),
    path("sign-out/", shell.sign_out, name="sign_out"),
    path("preferences/", shell.preferences, name="preferences"),
    path("style/", shell.style, name="style"),
    # The admin has no door of its own: one sign-in, one way to count wrong passwords.
    path("admin/login/", shell.admin_door, name="admin_door"),
    path("admin/logout/", shell.sign_out, name="admin_out"),
]
