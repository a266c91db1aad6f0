"""`python -m surefoot` is the command line."""

from surefoot.cli.main import run

if __name__ == "__main__":
    run()
