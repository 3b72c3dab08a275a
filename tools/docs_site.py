"""Hook of mkdocs: collects the pages of the site, and makes their navigation.

The pages stand in docs/ and beside what they describe, and link sources as well. The hook copies
them to `docs_dir` under the paths that they have in the repository, so that their links hold. A
linked source becomes a page that shows it; a link to a folder leads to its README.md, or to a
page that lists it.
"""
import posixpath
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Readers, in the order of the navigation: folder under docs/, title.
READERS = {
    "maker": "Arduino maker",
    "firmware": "Firmware engineer",
    "operator": "Operator",
    "researcher": "Researcher",
    "contributor": "Contributor",
}
IN_PORTUGUESE = {"maker": "Maker", "firmware": "Engenheiro de firmware", "researcher": "Pesquisador",
                 "operator": "Operador", "contributor": "Contribuidor"}
LANGUAGES = {".c": "c", ".h": "c", ".ino": "cpp", ".rs": "rust", ".py": "python", ".sh": "bash",
             ".toml": "toml", ".json": "json", ".yml": "yaml"}
PICTURES = {".png", ".svg", ".jpg"}

LINK = re.compile(r"(?<=\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
IMAGE = re.compile(r'(?<=<img src=")([^"]+)(")')
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.M | re.S)
# Words after the language of a block are for the tests that perform the page.
MARKS = re.compile(r"^(```\w+) .*")


def on_config(config):
    """Fills `docs_dir`, and sets the navigation."""
    target = Path(config["docs_dir"])
    shutil.rmtree(target, ignore_errors=True)
    Site(target).collect()
    config["nav"] = navigation()
    return config


def tracked(*paths):
    """The files of the repository under `paths`: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


class Site:
    """The pages below `target`."""

    def __init__(self, target):
        self.target = target
        self.made = set()

    def collect(self):
        for name in tracked("docs/*.md", "*.md"):
            self.page(name)

    def write(self, name, text):
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def page(self, name):
        if name in self.made:
            return
        self.made.add(name)
        text = (ROOT / name).read_text(encoding="utf-8")
        parts, at = [], 0
        for code in CODE.finditer(text):
            parts += [self.links(name, text[at:code.start()]), MARKS.sub(r"\1", code.group())]
            at = code.end()
        self.write(name, "".join(parts + [self.links(name, text[at:])]))

    def links(self, page, text):
        """`text`, with its links to sources and folders led to the pages made of these."""
        def led(link):
            to, rest = link.groups()
            if re.match(r"[a-z][a-z+.-]*:", to):
                return link.group()
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page), to))
            return posixpath.relpath(self.linked(name), posixpath.dirname(page) or ".") + rest
        return IMAGE.sub(led, LINK.sub(led, text))

    def linked(self, name):
        """The file of the site that shows `name`, which is made if needed."""
        path = ROOT / name
        if not path.exists():
            return name  # mkdocs names the page and the link
        if path.is_dir():
            return self.folder(name)
        if path.suffix == ".md":
            self.page(name)
            return name
        if path.suffix in PICTURES:
            self.made.add(name)
            (self.target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.target / name)
            return name
        return self.source(name)

    def folder(self, name):
        if (ROOT / name / "README.md").is_file():
            self.page(f"{name}/README.md")
            return f"{name}/README.md"
        page = f"{name}/index.md"
        if page not in self.made:
            self.made.add(page)
            files = "".join(f"- `{file}`\n" for file in tracked(name))
            self.write(page, f"# {name}/\n\n{files}")
        return page

    def source(self, name):
        # mkdocs leaves hidden files out.
        page = f"{name}.md".lstrip(".").replace("/.", "/")
        if page not in self.made:
            self.made.add(page)
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace").rstrip()
            fence = "~" * 4
            language = LANGUAGES.get(Path(name).suffix, "text")
            self.write(page, f"---\nhide: [toc]\n---\n# {name}\n\n{fence}{language}\n{text}\n{fence}\n")
        return page


def title(name):
    """The first heading of a page."""
    found = re.search(r"^# +(.+)$", (ROOT / name).read_text(encoding="utf-8"), re.M)
    return found.group(1).strip().replace("`", "") if found else name


def section(folder):
    """The entries of a folder's pages, its README.md first."""
    names = tracked(f"{folder}/*.md")
    names.sort(key=lambda name: (not name.endswith("/README.md"), name))
    return [{title(name): name} for name in names]


def navigation():
    """The start page, a section for each reader, and what all readers share."""
    nav = [{"Selo": "README.md"}, {"All pages": "docs/README.md"}]
    for folder, reader in READERS.items():
        if entries := section(f"docs/{folder}"):
            nav.append({reader: entries})
    portuguese = [{reader: entries} for folder, reader in IN_PORTUGUESE.items()
                  if (entries := section(f"docs/pt-BR/{folder}"))]
    nav.append({"Em português": [{"Selo": "README.pt-BR.md"}, *portuguese]})
    shared = [name for name in tracked("docs/*.md") if name.count("/") == 1
              and name != "docs/README.md"]
    top = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
    nav.append({"Reference": [{title(name): name} for name in shared + top]})
    return nav
