"""The commands, one a module with a function ``run``, imported when it is called (see ``cli.group``)."""
