"""The chapters of the Learn page: one file a method with a `CHAPTER`, and one line for it in chapters.py."""
