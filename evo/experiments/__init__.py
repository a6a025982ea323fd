"""The published studies, each one file, run from Python: ``cat_and_mouse_1.run()``."""
