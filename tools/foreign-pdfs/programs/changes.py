"""Makes PDFs of those of other programs that are unusual, protected, signed or damaged: `python changes.py FOLDER COUNT`."""

import re
import subprocess
from io import BytesIO
from pathlib import Path

import pikepdf
from common import WORK, make_each, one_of, words
from pikepdf import Array, Dictionary, Name, String
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields, signers
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

FORMS = 0, 3, 6, 9, 12, 15


def cropped(path, _, number):
    """Cropped, turned, and in other units."""
    with pikepdf.open(one_of(number, "fpdf2", "cairo", "typst")) as pdf:
        for page in pdf.pages:
            page.cropbox = [20, 30, 300, 250]
            if number % 2:
                page.rotate(90 * (1 + number % 3), relative=True)
            if number % 3 == 0:
                page.UserUnit = 2
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def boxes(path, _, number):
    """Boxes that begin elsewhere, have their corners swapped, reach beyond the page, or are inherited."""
    with pikepdf.open(one_of(number, "reportlab", "fpdf2", "tex")) as pdf:
        for page in pdf.pages:
            left, bottom, right, top = (float(each) for each in page.mediabox)
            if number % 4 == 0:
                page.MediaBox = Array([right, top, left, bottom])
            elif number % 4 == 1:
                page.CropBox = Array([left - 50, bottom - 50, right + 50, top + 50])
            elif number % 4 == 2:
                page.MediaBox = Array([left - 100, bottom - 100, right - 100.5, top - 100.25])
            else:
                pdf.Root.Pages.MediaBox = page.MediaBox
                pdf.Root.Pages.Rotate = 90
                del page.MediaBox
            page.TrimBox = Array([left + 10, bottom + 10, right - 10, top - 10])
        pdf.save(path)


def huge(path, rng, number):
    """Pages of up to 200 inches."""
    canvas = Canvas(path, pagesize=[(14_400, 100), (100, 14_400), (7_200, 300)][number % 3])
    for _ in range(2):
        canvas.drawString(20, 50, words(rng, 3))
        canvas.showPage()
    canvas.save()


def joined(path, rng, number):
    writer = PdfWriter()
    for more in range(2):
        writer.append(PdfReader(one_of(number + more, "reportlab", "weasyprint", "gs")))
    writer.add_metadata({"/Title": words(rng, 2)})
    writer.write(path)


def incremental(path, _, number):
    writer = PdfWriter(one_of(number, "reportlab", "fpdf2"), incremental=True)
    writer.add_metadata({"/Title": "later"})
    writer.write(path)


def annotated(path, rng, number):
    """Notes, highlights, stamps and links with and without appearances."""
    with pikepdf.open(one_of(number, "fpdf2", "weasyprint", "reportlab")) as pdf:
        form = pdf.make_stream(b"1 0 0 rg 0 0 40 20 re f", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 40, 20])
        for page in pdf.pages:
            note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=[20, 20, 40, 40], Contents=String(words(rng, 3)))
            mark = Dictionary(
                Type=Name.Annot, Subtype=Name.Highlight, Rect=[50, 60, 150, 80], C=[1, 1, 0], QuadPoints=[50, 80, 150, 80, 50, 60, 150, 60]
            )
            stamp = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=[160, 20, 200, 40], AP=Dictionary(N=form), F=4)
            link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[20, 100, 80, 120], Border=[0, 0, 0], Dest=[pdf.pages[0].obj, Name.Fit])
            old = list(page.obj.get("/Annots", []))
            page.Annots = pdf.make_indirect(Array(old + [pdf.make_indirect(each) for each in (note, mark, stamp, link)]))
        pdf.save(path)


def xfa(path, _, number):
    """Forms that are described in XFA as well."""
    source = WORK.parent / f"reportlab-{FORMS[number % len(FORMS)]}.pdf"
    template = b'<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form"/></template>'
    with pikepdf.open(source) as pdf:
        parts = [String("preamble"), pdf.make_stream(b"<xdp:xdp>"), String("template"), pdf.make_stream(template)]
        pdf.Root.AcroForm.XFA = Array([*parts, String("postamble"), pdf.make_stream(b"</xdp:xdp>")])
        if number % 2:
            pdf.Root.NeedsRendering = True
        pdf.save(path)


def encrypted(path, _, number):
    """Anyone may read them, but not everything else."""
    ways = [
        ["--allow-weak-crypto", "--encrypt", "", "owner", "40", "--print=n", "--"],
        ["--allow-weak-crypto", "--encrypt", "", "owner", "128", "--modify=none", "--"],
        ["--allow-weak-crypto", "--encrypt", "", "owner", "128", "--use-aes=y", "--cleartext-metadata", "--"],
        ["--encrypt", "", "owner", "256", "--extract=n", "--"],
    ]
    source = one_of(number, "reportlab", "weasyprint", "fpdf2", "tex")
    subprocess.run(["qpdf", *ways[number % len(ways)], source, path], check=True)


def signed(path, _, number):
    """Signed once or twice, without showing it; every other one is linearised."""
    key, certificate = WORK / "key.pem", WORK / "certificate.pem"
    if not key.exists():
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=Signer"]
        subprocess.run([*request, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    signer = signers.SimpleSigner.load(str(key), str(certificate))
    source = WORK / "unsigned.pdf"
    linear = ["--linearize"] if number % 2 else []
    subprocess.run(["qpdf", *linear, one_of(number, "reportlab", "fpdf2", "libreoffice"), str(source)], check=True)
    content = BytesIO(source.read_bytes())
    for round in range(1 + number % 2):
        field = fields.SigFieldSpec(f"S{round}")
        writer = IncrementalPdfFileWriter(content, strict=False)
        content = signers.sign_pdf(writer, signers.PdfSignatureMetadata(field_name=f"S{round}"), signer, new_field_spec=field)
    Path(path).write_bytes(content.getbuffer())


def damaged(path, _, number):
    """The ends are missing, places and lengths are wrong, or something else is around them."""
    content = Path(one_of(number, "reportlab", "fpdf2", "tex", "gs")).read_bytes()
    ways = [
        lambda: content[: len(content) * 3 // 4],
        lambda: re.sub(rb"startxref\s+\d+", b"startxref\n7", content),
        lambda: content.replace(b"endobj", b"", 1),
        lambda: b"HTTP/1.1 200 OK\r\n\r\n" + content,
        lambda: content + b"\n" * 2_000 + b"<!-- advertisement -->",
        lambda: re.sub(rb"/Length \d+", b"/Length 3", content, count=1),
        lambda: content.replace(b"/Type /Page", b"/Type /Pago", 1).replace(b"/Type/Page", b"/Type/Pago", 1),
        lambda: content.replace(b"xref", b"xxxx"),
    ]
    Path(path).write_bytes(ways[number % len(ways)]())


make_each("pikepdf", cropped)
make_each("boxes", boxes)
make_each("huge", huge, 6)
make_each("pypdf", joined)
make_each("incremental", incremental)
make_each("annotated", annotated)
make_each("xfa", xfa, 6)
make_each("encrypted", encrypted)
make_each("signed", signed)
make_each("damaged", damaged)
