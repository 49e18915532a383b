"""Makes PDFs with libraries of Python: `python libraries.py FOLDER COUNT`."""

import cairocffi
import typst
from common import PICTURE, WORK, make_each, words
from fpdf import FPDF
from reportlab.lib.pagesizes import A4, landscape, letter
from reportlab.pdfgen.canvas import Canvas
from weasyprint import HTML


def reportlab(path, rng, number, pages=None):
    canvas = Canvas(path, pagesize=rng.choice([A4, letter, landscape(A4), (200, 2000)]), pageCompression=number % 2)
    for page in range(pages or 1 + number % 4):
        canvas.bookmarkPage(f"p{page}")
        canvas.addOutlineEntry(f"Page {page}", f"p{page}")
        for y in range(100, 190, 20):
            canvas.drawString(20, y, words(rng, 5))
        canvas.drawImage(str(PICTURE), 20, 20, 40, 40, mask="auto")
        canvas.linkURL("https://example.com", (20, 20, 60, 60))
        if number % 3 == 0:
            canvas.acroForm.textfield(name=f"f{page}", x=80, y=20, width=80, height=20, value="v")
        canvas.showPage()
    canvas.save()


def fpdf2(path, rng, number):
    pdf = FPDF(orientation="PL"[number % 2])
    for page in range(1 + number % 3):
        pdf.add_page()
        pdf.set_font("Helvetica" if page % 2 else "Times", size=12)
        pdf.start_section(f"S{page}")
        pdf.multi_cell(0, 8, words(rng, 120))
        pdf.image(str(PICTURE), x=10, y=150, w=20)
        with pdf.table() as table:
            for _ in range(3):
                row = table.row()
                for _ in range(3):
                    row.cell(words(rng, 2))
    pdf.output(path)


def weasyprint(path, rng, number):
    rows = "".join(f"<tr><td>{words(rng, 2)}<td>{rng.random()}" for _ in range(20))
    html = (
        f"<h1>{words(rng, 3)}</h1><p>{words(rng, 200)}<p dir=rtl>שלום עולם<table border=1>{rows}</table>"
        f'<img src="{PICTURE.as_uri()}"><a href="#x">x</a><h2 id=x>{words(rng, 3)}</h2>'
        f'<p style="break-before: page; opacity: .5">{words(rng, 50)}'
    )
    HTML(string=html).write_pdf(path, **({"pdf_variant": "pdf/ua-1"} if number % 2 else {}))


def make_typst(path, rng, number):
    source = WORK / "source.typ"
    source.write_text(
        f"#set page({'flipped: true' if number % 2 else ''})\n= {words(rng, 3)}\n{words(rng, 150)}\n\n"
        "$ sum_(i=0)^n i^2 = (n(n+1))/2 $\n"
        f'#table(columns: 2)[a][b][{words(rng, 2)}][d]\n#image("{PICTURE.name}")\n#pagebreak()\n'
        f"== {words(rng, 2)}\n- {words(rng, 5)}\n- {words(rng, 4)}\n#link(\"https://example.com\")[link]\n"
    )
    typst.compile(str(source), output=path, root=str(WORK))


def cairo(path, rng, number):
    surface = cairocffi.PDFSurface(path, 400, 300)
    context = cairocffi.Context(surface)
    for page in range(1 + number % 3):
        context.select_font_face("DejaVu Sans" if number % 2 else "serif")
        context.set_font_size(12)
        for y in range(20, 200, 20):
            context.move_to(10, y)
            context.set_source_rgba(0, 0, page / 3, 0.5 + rng.random() / 2)
            context.show_text(words(rng, 6))
        gradient = cairocffi.LinearGradient(0, 0, 100, 100)
        gradient.add_color_stop_rgba(0, 1, 0, 0, 1)
        gradient.add_color_stop_rgba(1, 0, 0, 1, 0.2)
        context.set_source(gradient)
        context.rectangle(10, 220, 100, 60)
        context.fill()
        surface.show_page()
    surface.finish()


make_each("reportlab", reportlab)
make_each("fpdf2", fpdf2)
make_each("weasyprint", weasyprint)
make_each("typst", make_typst)
make_each("cairo", cairo)
make_each("long", lambda path, rng, number: reportlab(path, rng, number, pages=50 + 10 * number), 6)
