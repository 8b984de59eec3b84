"""Codex CLI (TR-20 … TR-22): rollouts in JSON Lines, of three generations."""
