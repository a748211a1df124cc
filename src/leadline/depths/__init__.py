"""Stage 5: what depth does. Curves, ranges, pools, truncation, stopping."""
