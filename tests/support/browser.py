"""Code shared by browser tests of pages. Their scripts are called with the path of dsnn, and exit with 77 without chromium."""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CHROMIUM = shutil.which("chromium")


class Page(html.parser.HTMLParser):
    """The drawn content: classes of elements, attributes of drawings, and text by the enclosing id."""

    def __init__(self, text):
        super().__init__()
        self.classes, self.drawn, self.texts, self.ids, self.num_rows = [], [], {}, [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.classes += (values.get("class") or "").split()
        self.num_rows += tag == "tr"
        if tag in ("svg", "path", "line", "rect", "circle", "text"):
            self.drawn += [f"{tag} {name}={value}" for name, value in attributes]
        if "id" in values:
            self.ids.append(values["id"])

    def handle_data(self, text):
        if self.ids:
            self.texts[self.ids[-1]] = self.texts.get(self.ids[-1], "") + text


class BrowserTest(unittest.TestCase):
    DSNN = None  # its path

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dsnn-report-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def dsnn(self, *arguments):
        done = subprocess.run([self.DSNN, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def browse(self, text, width=1200):
        """The document that a browser builds from a page, and its console output."""
        copy = self.folder / "copy.html"
        copy.write_text(text)
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--enable-logging=stderr", "--v=0",
             f"--window-size={width},1000", f"--user-data-dir={self.folder / 'profile'}", copy.as_uri()],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Page(done.stdout), re.findall(".*CONSOLE.*", done.stderr)

    def open(self, path, script="", change=lambda text: text, width=1200):
        """The document that a browser builds from a page; there must be no console errors."""
        page, console = self.browse(change(path.read_text()).replace("</body>", f"<script>{{{script}}}</script></body>"), width)
        self.assertEqual(console, [])
        self.assertEqual([drawn for drawn in page.drawn if re.search("NaN|undefined|Infinity|null", drawn)], [])
        return page


def main():
    if not CHROMIUM:
        print("no chromium: skipped")
        sys.exit(77)
    BrowserTest.DSNN = sys.argv.pop(1)
    unittest.main()
