"""A page with a file beside it, a picture of it, PDFs that are changed in every way, and the health, with gotenberg-client."""

import json
import os
from pathlib import Path

from gotenberg_client import GotenbergClient
from gotenberg_client.constants import A5
from gotenberg_client.options import PdfAFormat, RotateAngle, WatermarkStampOptions, WatermarkStampSource

PAGE, MERGED, DATA = Path("page.pdf"), Path("merged.pdf"), Path("data.txt")
DATA.write_text("attached")

with GotenbergClient(os.environ["PLATEN_URL"], auth=("anyone", os.environ["PLATEN_KEY"])) as client:
    with client.chromium.html_to_pdf() as route:
        route.string_index('<link rel="stylesheet" href="a.css"><h1>From Python</h1>')
        route.string_resource("h1::after { content: ' with a file' }", "a.css", "text/css")
        route.size(A5).run().to_file(PAGE)
    with client.chromium.screenshot_html() as route:
        route.string_index("<h1>Picture").output_format("png").run().to_file(Path("page.png"))
    with client.merge.merge() as route:
        route.merge([PAGE, PAGE]).metadata(title="Merged").flatten().run().to_file(MERGED)
    with client.split.split() as route:
        route.split(MERGED).split_mode("pages").split_span("2-").split_unify(split_unify=True).run().to_file(Path("split.pdf"))
    with client.rotate.rotate() as route:
        route.add_file(MERGED).rotate(RotateAngle.Clockwise90, "2").run().to_file(Path("rotated.pdf"))
    with client.watermark.watermark() as route:
        options = WatermarkStampOptions(font="Helvetica", points=24, color="#FF0000", rotation=45, opacity=0.5, scale=0.5)
        route.add_file(PAGE).watermark_source(WatermarkStampSource.Text).watermark_expression("Below")
        route.watermark_options(options).run().to_file(Path("watermark.pdf"))
    with client.stamp.stamp() as route:
        route.add_file(MERGED).stamp_source(WatermarkStampSource.Pdf).stamp_file(PAGE).stamp_pages("1")
        route.run().to_file(Path("stamp.pdf"))
    with client.encrypt.encrypt() as route:
        route.add_file(PAGE).user_password("open").owner_password("own").run().to_file(Path("encrypted.pdf"))
    with client.embed.embed() as route:
        route.add_pdf(PAGE).embed(DATA).run().to_file(Path("embedded.pdf"))
    with client.flatten.flatten() as route:
        route.flatten(PAGE).run().to_file(Path("flattened.pdf"))
    with client.pdf_convert.to_pdfa() as route:
        route.convert(PAGE).pdf_format(PdfAFormat.A2b).run().to_file(Path("archived.pdf"))
    with client.metadata.write() as route:
        route.write(PAGE).metadata(title="Written", author="Ada", keywords=["one", "two"]).run().to_file(Path("described.pdf"))
    with client.bookmarks.write() as route:
        route.add_file(Path("described.pdf")).bookmarks([{"title": "First", "page": 1}]).run().to_file(Path("facts.pdf"))
    with client.metadata.read() as metadata, client.bookmarks.read() as bookmarks:
        facts = [metadata.read(Path("facts.pdf")).run(), bookmarks.read(Path("facts.pdf")).run()]
        Path("facts.json").write_text(json.dumps([each["facts.pdf"] for each in facts]))
    client.health.health()
