"""Files for the tests of attachments, made at run time: honest ones, and those that lie, burst or never end."""

import io
import struct
import zipfile
import zlib

from docx import Document
from PIL import Image


def an_image(kind: str, size: tuple[int, int] = (40, 30), **options: object) -> bytes:
    """Red on the left, blue on the right."""
    picture = Image.new("RGB", size, "red")
    picture.paste("blue", (size[0] // 2, 0, size[0], size[1]))
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def an_animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (16, 16), colour) for colour in ("red", "green", "blue")]
    file = io.BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=100)
    return file.getvalue()


def with_place(orientation: int = 1) -> Image.Exif:
    """What a telephone writes into a photograph: where, how it was held, and with what."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Telling Cameras"
    exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 8.0, 30.0), 3: "E", 4: (11.0, 34.0, 30.0)})
    return exif


def png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def a_png_that_says(width: int, height: int, pixels: bytes = b"") -> bytes:
    """A sound PNG but for its pixels, which are not as many as it says."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(pixels)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def a_pdf(*texts: str, catalog: str = "", count: int | None = None, kids: str | None = None) -> bytes:
    """A page for each text. `catalog` adds to the catalog; `count` and `kids` replace what the page tree says."""
    pages = [4 + 2 * number for number in range(len(texts))]
    kids = " ".join(f"{page} 0 R" for page in pages) if kids is None else kids
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(texts) if count is None else count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for page, text in zip(pages, texts, strict=True):
        stream = zlib.compress(f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode("latin-1"))
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {page + 1} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    return a_pdf_of(objects)


def a_pdf_of(objects: list[bytes]) -> bytes:
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def a_docx(*paragraphs: str, table: list[list[str]] | None = None) -> bytes:
    document = Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    if table:
        cells = document.add_table(len(table), len(table[0]))
        for row, texts in enumerate(table):
            for column, text in enumerate(texts):
                cells.cell(row, column).text = text
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def rezipped(docx: bytes, **replaced: bytes) -> bytes:
    """The same document with some parts replaced or added; `document` stands for word/document.xml."""
    names = {"document": "word/document.xml", "relations": "word/_rels/document.xml.rels"}
    new = {names.get(name, name): body for name, body in replaced.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in old.namelist():
            if part not in new:
                archive.writestr(part, old.read(part))
        for name, body in new.items():
            archive.writestr(name, body)
    return file.getvalue()
