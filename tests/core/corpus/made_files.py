"""Small files made for the tests: PDFs with given pages, Word documents, zip archives."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any


def pdf_of(pages: Sequence[Sequence[str]], title: str = "", password: str = "") -> bytes:
    """A PDF with one string a line on each page."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font: Any = DictionaryObject()
    for key, value in {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}.items():
        font[NameObject(key)] = NameObject(value)
    for lines in pages:
        page: Any = writer.add_blank_page(612, 792)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        stream.set_data(f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def pdf_that_claims(pages: int) -> bytes:
    """A PDF whose page tree says it has that many pages."""
    return pdf_of([["one"]]).replace(b"/Count 1\n", b"/Count %d\n" % pages)


def zip_of(files: Mapping[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()
