"""Suites between rows and files: export, import, what differs; and the judges that come with the package."""
