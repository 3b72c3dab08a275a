#!/usr/bin/env python3
"""Checks the Portuguese pages under docs/pt-BR against the English pages of the same path under
docs/. For each Portuguese page:

- The English page exists.
- Both have the same fenced blocks of code, byte for byte, in the same order.
- Both have as many headings of each level, and as many rows of tables.
- Each links the other.

usage: tools/check-translations.py [REPOSITORY]
exit: 0 every page is like its original; 1 some are not, or there are none
"""
import re
import sys
from collections import Counter
from pathlib import Path

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
docs = root / "docs"
translated = docs / "pt-BR"

FENCE = re.compile(r" *(`{3,}(?!.*`)|~{3,})")
HEADING = re.compile(r"(#{1,6})\s")
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
CODE = re.compile(r"`[^`\n]*`")


class Page:
    """A page in parts: `blocks` of code as (line, text), counts of `headings` by level and of
    `rows` of tables, and the files of its `links`."""

    def __init__(self, path: Path):
        self.blocks: list[tuple[int, str]] = []
        self.headings: Counter[int] = Counter()
        self.rows = 0
        self.links: set[Path] = set()
        fence = ""
        # Bytes, because a text file would lose the ends of its lines.
        for number, line in enumerate(path.read_bytes().decode().split("\n"), 1):
            found = FENCE.match(line)
            if fence:
                start, text = self.blocks[-1]
                self.blocks[-1] = start, f"{text}\n{line}"
                if found and found[1].startswith(fence) and line.strip() == found[1]:
                    fence = ""
            elif found:
                fence = found[1]
                self.blocks.append((number, line))
            else:
                self.prose(path, line)

    def prose(self, path: Path, line: str) -> None:
        heading = HEADING.match(line)
        if heading:
            self.headings[len(heading[1])] += 1
        self.rows += line.lstrip().startswith("|")
        self.links |= {(path.parent / target).resolve() for target in LINK.findall(CODE.sub("", line))}


def difference_of_blocks(ours: Page, theirs: Page) -> str:
    """What differs first between the blocks of two pages, or nothing."""
    for (line, text), (original, english) in zip(ours.blocks, theirs.blocks):
        if text != english:
            return f"the block of line {line} is not the block of line {original} of the English page"
    if len(ours.blocks) != len(theirs.blocks):
        return f"{len(ours.blocks)} blocks of code, and {len(theirs.blocks)} in the English page"
    return ""


def difference_of_headings(ours: Page, theirs: Page) -> str:
    """The first level whose headings differ in number, or nothing."""
    for level in range(1, 7):
        if ours.headings[level] != theirs.headings[level]:
            return (f"{ours.headings[level]} headings of level {level},"
                    f" and {theirs.headings[level]} in the English page")
    return ""


def difference_of_rows(ours: Page, theirs: Page) -> str:
    if ours.rows != theirs.rows:
        return f"{ours.rows} rows of tables, and {theirs.rows} in the English page"
    return ""


passed = failed = 0


def verdict(name: Path, wrong: str) -> None:
    global passed, failed
    if wrong:
        failed += 1
        print(f"FAILED: {name.relative_to(root)}: {wrong}")
    else:
        passed += 1


def compare(page: Path, original: Path) -> None:
    ours, theirs = Page(page), Page(original)
    verdict(page, difference_of_blocks(ours, theirs))
    verdict(page, difference_of_headings(ours, theirs))
    verdict(page, difference_of_rows(ours, theirs))
    verdict(page, "" if original.resolve() in ours.links else "does not link the English page")
    verdict(original, "" if page.resolve() in theirs.links else "does not link the Portuguese page")


pages = sorted(translated.rglob("*.md"))
if not pages:
    verdict(translated, "there are no pages")
for page in pages:
    original = docs / page.relative_to(translated)
    exists = original.is_file()
    verdict(page, "" if exists else f"there is no {original.relative_to(root)}")
    if exists:
        compare(page, original)
print(f"translations: {passed} passed, {failed} failed")
sys.exit(failed > 0)
