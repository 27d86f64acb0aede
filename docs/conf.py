"""How Sphinx builds these pages: offline, from the tree they stand in."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import consilience  # noqa: E402

project = "Consilience"
author = "The Consilience authors"
copyright = author
version = release = consilience.__version__

extensions = ["myst_parser", "catalogue_pages"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
smartquotes = False  # -- is an option, not a dash
nitpicky = True
add_module_names = False
toc_object_entries = False
pygments_style = "default"

html_theme = "furo"
html_title = f"Consilience {release}"
html_static_path = ["_static"]
html_css_files = ["plain.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
