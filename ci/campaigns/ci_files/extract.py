"""Writes the YAML blocks of pages as files: workflows, parts of workflows completed, and the one for GitLab.

    extract.py DIRECTORY PAGE..
"""

import pathlib
import re
import sys

WORKFLOW = "name: of a page\non: [push, pull_request]\n"
JOB = WORKFLOW + "jobs:\n  performance:\n    runs-on: ubuntu-24.04\n    steps:\n"


def main():
    directory = pathlib.Path(sys.argv[1])
    for page in map(pathlib.Path, sys.argv[2:]):
        for nth, block in enumerate(re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)):
            workflow = directory / "workflows" / f"{page.stem}-{nth}.yml"
            if re.match(r"performance:\n  image:", block):
                (directory / "gitlab-ci.yml").write_text(block)
            elif block.startswith("name:"):
                workflow.write_text(block)
            elif block.startswith("jobs:"):
                workflow.write_text(WORKFLOW + block)
            elif block.startswith("      - "):
                workflow.write_text(JOB + block)
            else:
                raise SystemExit(f"{page}: no check knows the block that begins with {block.splitlines()[0]!r}")


if __name__ == "__main__":
    main()
