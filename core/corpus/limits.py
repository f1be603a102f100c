"""How much is read at most, so that a hostile or mistaken file is refused and does not fill the memory."""

from __future__ import annotations

MAX_UPLOAD_BYTES = 50 * 1024**2  # of an upload, all its files together
MAX_FILE_BYTES = 512 * 1024**2  # of one file opened by its path
MAX_TOTAL_BYTES = 1024**3  # of all files of a folder together
MAX_FILES = 20_000  # of a folder
MAX_DOCUMENTS = 500_000
MAX_CHARACTERS = 50_000_000  # of one document
MAX_TEXT_BYTES = 64 * 1024**2  # of a file that is one document of text

MAX_ARCHIVE_BYTES = 256 * 1024**2  # unpacked, all entries together
MAX_ARCHIVE_FILES = 10_000
MAX_ARCHIVE_RATIO = 200  # unpacked to packed; text packs to about a tenth
RATIO_MATTERS = 8 * 1024**2  # unpacked bytes; below it any ratio is harmless

MAX_PAGES = 5_000  # of a PDF
SCANNED_CHARACTERS = 20  # a page: a PDF of pictures with fewer is scanned
