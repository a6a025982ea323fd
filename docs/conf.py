"""Settings of the site: ``sphinx-build -W docs site`` builds it, offline."""

from importlib.metadata import version as version_of

project = "evo-tournaments"
release = version_of("evo-tournaments")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "evo-tournaments"
myst_heading_anchors = 4
napoleon_google_docstring = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
