#!/usr/bin/env python3
"""Checks the links of a folder of HTML pages: each file exists, and each anchor is in its page.
Links to other hosts are not followed, and pages must not load anything from them.

usage: tools/docs_links.py FOLDER
exit: 0 all are good; 1 some are not
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """`links`: (is it loaded with the page, address); `anchors`: the names in the page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append((False, values["href"]))
        elif tag == "link" and values.get("rel") != "canonical" and values.get("href"):
            self.links.append((True, values["href"]))
        elif tag in ("img", "script", "iframe") and values.get("src"):
            self.links.append((True, values["src"]))


def fault(folder, path, loaded, address):
    """The sentence that says what is wrong with a link of the page `path`, or None."""
    at = urlsplit(address)
    if at.scheme or at.netloc:
        return "the page loads a file of another host" if loaded else None
    if at.path.startswith("/"):
        target = folder / unquote(at.path).lstrip("/")
    else:
        target = (path.parent / unquote(at.path)).resolve() if at.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "there is no such file"
    if target.suffix == ".html" and unquote(at.fragment) not in pages[target].anchors:
        return "the page has no such anchor"
    return None


folder = Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
passed = failed = 0
for path, page in pages.items():
    for loaded, address in page.links:
        if path.name == "404.html":
            continue  # its links begin at the root of a server
        wrong = fault(folder, path, loaded, address)
        if wrong:
            failed += 1
            print(f"FAILED: {path.relative_to(folder)}: {address}: {wrong}")
        else:
            passed += 1
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not pages else 0)
