"""Stage 8, results out: tables in every format, figures and the report page.

``tables`` holds the result of a command as columns and writes it in one of the ``formats``; ``terminal`` lays it out
for people; ``glyphs`` draws small bars and sparklines in text.
"""
