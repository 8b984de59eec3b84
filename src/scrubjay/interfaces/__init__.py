"""Who asks: the command line and whatever else uses a memory. All of them go through ``scrubjay.memory``."""
