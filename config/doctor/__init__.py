"""What `manage.py doctor` looks at. It works when half of the installation is broken, the settings
included: manage.py hands over before Django reads them."""
