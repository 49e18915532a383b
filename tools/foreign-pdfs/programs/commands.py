"""Makes PDFs with programs of the machine, from words or from PDFs that libraries have made: `python commands.py FOLDER COUNT`."""

import json
import subprocess

from common import PICTURE, WORK, make_each, one_of, words
from docx import Document
from docx.shared import Cm


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def ghostscript(path, _, number):
    source = one_of(number, "reportlab", "weasyprint", "cairo")
    level = f"-dCompatibilityLevel=1.{3 + number % 5}"
    run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", level, f"-sOutputFile={path}", source)


def ps2pdf(path, rng, number):
    source = WORK / "source.ps"
    lines = "".join(f"20 {y} moveto ({words(rng, 6)}) show\n" for y in range(700, 100, -20))
    text = f"%!PS\n/Helvetica findfont 12 scalefont setfont\n{lines}showpage\n"
    source.write_bytes(text.encode("latin1"))
    run("ps2pdf", f"-dPDFSETTINGS=/{['screen', 'prepress', 'ebook'][number % 3]}", str(source), path)


def scan(path, _, number):
    """Pages that are images."""
    device = f"-sDEVICE=pdfimage{['8', '24', '32'][number % 3]}"
    run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-r60", device, f"-sOutputFile={path}", one_of(number, "reportlab", "fpdf2"))


def groff(path, rng, _):
    text = f".TH X 1\n.SH NAME\n{words(rng, 5)}\n.PP\n{words(rng, 300)}\n"
    with open(path, "wb") as file:
        subprocess.run(["groff", "-Tpdf", "-man"], input=text.encode("ascii", "ignore"), stdout=file, check=True)


def qpdf(path, _, number):
    ways = [
        ["--linearize"],
        ["--object-streams=generate"],
        ["--qdf", "--object-streams=disable"],
        ["--rotate=+90"],
        ["--stream-data=uncompress"],
        ["--coalesce-contents", "--linearize"],
    ]
    run("qpdf", *ways[number % len(ways)], one_of(number, "reportlab", "weasyprint", "typst", "fpdf2"), path)


def poppler(path, _, number):
    run("pdftocairo", "-pdf", one_of(number, "weasyprint", "typst", "fpdf2"), path)


def tex(path, rng, number):
    """Every third has more than 50 pages."""
    chapters = "".join(
        f"\\section{{{words(rng, 3)}}}\\label{{s{n}}}{words(rng, 300)}\\footnote{{{words(rng, 8)}}} see \\ref{{s{n}}}"
        f"\\[ \\sum_{{i=0}}^{{n}} i^2 = \\frac{{n(n+1)(2n+1)}}{{6}} \\]\\newpage "
        for n in range(51 if number % 3 == 0 else 2)
    )
    source = WORK / "source.tex"
    links = "\\usepackage[colorlinks]{hyperref}" if number % 2 else ""
    table = "\\begin{tabular}{|l|r|}\\hline a & 1 \\\\ \\hline b & 2 \\\\ \\hline\\end{tabular}"
    source.write_text(
        f"\\documentclass[{['a4paper', 'letterpaper', 'landscape'][number % 3]}]{{article}}\\usepackage[T1]{{fontenc}}"
        f"\\usepackage{{graphicx}}{links}\\begin{{document}}\\tableofcontents {chapters}"
        f"{table}\\includegraphics{{{PICTURE.name}}}\\end{{document}}"
    )
    for _ in range(2):
        run("pdflatex", "-interaction=batchmode", source.name, cwd=WORK)
    source.with_suffix(".pdf").rename(path)


def convert(source, path, options):
    """With LibreOffice."""
    values = {name: {"type": kind, "value": str(value).lower()} for name, kind, value in options}
    filter_options = f"pdf:writer_pdf_Export:{json.dumps(values)}"
    profile = f"-env:UserInstallation={(WORK / 'libreoffice').as_uri()}"
    run("soffice", profile, "--headless", "--convert-to", filter_options, "--outdir", str(WORK), str(source))
    (WORK / f"{source.stem}.pdf").rename(path)


def export_options(number):
    return [
        ("UseTaggedPDF", "boolean", number % 2 == 0),
        ("SelectPdfVersion", "long", [0, 1, 2, 3, 15, 16, 17][number % 7]),
        ("ExportBookmarks", "boolean", number % 3 == 0),
        ("ExportFormFields", "boolean", True),
    ]


def libreoffice(path, rng, number):
    source = WORK / "source.html"
    rows = "".join(f"<tr><td>{words(rng, 2)}</td><td>{rng.random():.2f}</td></tr>" for _ in range(10))
    source.write_text(
        f"<html><meta charset=utf-8><h1>{words(rng, 3)}</h1><p>{words(rng, 300)}</p><table border=1>{rows}</table>"
        f'<p dir=rtl>שלום עולם</p><img src="{PICTURE.name}"><p><a href="https://example.com">{words(rng, 2)}</a></p>'
        f'<form><input name="n{number}" value="v"><input type=checkbox name="c"></form>'
        f'<h2 style="page-break-before: always">{words(rng, 2)}</h2><ul><li>{words(rng, 4)}</li></ul></html>'
    )
    convert(source, path, export_options(number))


def word(path, rng, number):
    """A file as Word writes it."""
    document = Document()
    document.add_heading(words(rng, 3), 0)
    for page in range(60 if number % 6 == 0 else 1 + number % 3):
        document.add_heading(words(rng, 3), 1)
        paragraph = document.add_paragraph(words(rng, 100))
        paragraph.add_run(words(rng, 5)).bold = True
        document.add_paragraph(words(rng, 5), style="List Bullet")
        document.add_picture(str(PICTURE), width=Cm(2))
        table = document.add_table(rows=3, cols=3, style="Table Grid")
        for cell in (cell for row in table.rows for cell in row.cells):
            cell.text = words(rng, 2)
        if page:
            document.add_page_break()
    document.sections[0].header.paragraphs[0].text = words(rng, 4)
    source = WORK / "source.docx"
    document.save(str(source))
    convert(source, path, export_options(number))


make_each("gs", ghostscript)
make_each("ps2pdf", ps2pdf)
make_each("scan", scan)
make_each("groff", groff)
make_each("qpdf", qpdf)
make_each("poppler", poppler)
make_each("tex", tex)
make_each("libreoffice", libreoffice)
make_each("word", word)
