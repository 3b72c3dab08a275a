#!/usr/bin/env python3
"""Checks the links of every Markdown page of the repository: each path exists, and each anchor
names a heading of its page. Links to other hosts are not followed.

usage: tools/check-links.py [REPOSITORY]
exit: 0 every link is good; 1 some are not
"""
import re
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
listed = subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"],
    cwd=root, capture_output=True, check=True, text=True,
).stdout.split("\0")
pages = [root / name for name in listed if name and (root / name).is_file()]

LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")


def text_of(page: Path) -> str:
    """The page without blocks of code, in which links do not count."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors of a page, derived from its headings as code hosts do."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", text_of(page), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(name if count == 0 else f"{name}-{count}")
    return names


passed = failed = 0
for page in pages:
    for linked, shown in LINK.findall(CODE.sub("", text_of(page))):
        target = linked or shown
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        wrong = ""
        if not there.exists():
            wrong = "there is no such file"
        elif anchor and there.suffix == ".md" and anchor not in anchors(there):
            wrong = "the page has no such heading"
        if wrong:
            failed += 1
            print(f"FAILED: {page.relative_to(root)}: {target}: {wrong}")
        else:
            passed += 1
print(f"links: {passed} passed, {failed} failed")
sys.exit(failed > 0)
