"""``python -m leadline`` is the command line."""

from leadline.cli import main

if __name__ == "__main__":
    main()
