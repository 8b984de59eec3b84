"""The verbs: what can be done with a memory. One module a verb, written against ports, never against one back end."""
