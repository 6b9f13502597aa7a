"""What the settings name, by its name: assertion types, providers, tools. Rows and data name these, never a path."""
