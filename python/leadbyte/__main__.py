"""``python -m leadbyte``: the command, where its script is not on the path."""

from leadbyte.cli import run

if __name__ == "__main__":
    run()
