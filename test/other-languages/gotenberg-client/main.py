"""A page with a file beside it, a picture of it, two PDFs in one, and the health, with gotenberg-client."""

import os
from pathlib import Path

from gotenberg_client import GotenbergClient
from gotenberg_client.constants import A5

with GotenbergClient(os.environ["PLATEN_URL"], auth=("anyone", os.environ["PLATEN_KEY"])) as client:
    with client.chromium.html_to_pdf() as route:
        route.string_index('<link rel="stylesheet" href="a.css"><h1>From Python</h1>')
        route.string_resource("h1::after { content: ' with a file' }", "a.css", "text/css")
        route.size(A5).run().to_file(Path("page.pdf"))
    with client.chromium.screenshot_html() as route:
        route.string_index("<h1>Picture").output_format("png").run().to_file(Path("page.png"))
    with client.merge.merge() as route:
        route.merge([Path("page.pdf"), Path("page.pdf")]).metadata(title="Merged").flatten().run().to_file(Path("merged.pdf"))
    client.health.health()
