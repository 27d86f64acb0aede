"""The documentation builds without a warning, and its pages load nothing from anywhere."""

import re
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_it_builds_without_a_warning_and_loads_nothing(root, tmp_path):
    pytest.importorskip("sphinx", reason="needs the extra `docs`")
    pytest.importorskip("furo", reason="needs the extra `docs`")
    pytest.importorskip("myst_parser", reason="needs the extra `docs`")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-n", "-W", "--keep-going", "-q", "docs", str(tmp_path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    pages = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")}
    assert len(pages) > 12
    for page in pages.values():
        assert not re.search(r"<(script|link|img)[^>]+(src|href)=\"(https?:)?//", page)
    for sheet in tmp_path.rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", sheet.read_text(encoding="utf-8"))
