"""Stage 6. Runs against runs: who really wins, by tests on scores and by preferences between rankings."""
