"""What the scripts that make PDFs share: random words, a picture, and a loop that makes several PDFs with a program."""

import random
import struct
import sys
import zlib
from pathlib import Path

FOLDER = Path(sys.argv[1])
COUNT = int(sys.argv[2])
WORK = FOLDER / ".programs"
PICTURE = WORK / "picture.png"
WORDS = (
    "lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam nonumy eirmod tempor invidunt ut labore et "
    "dolore magna aliquyam erat Größe naïve façade"
).split()


def words(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


def make_each(name, make, count=COUNT):
    """Calls `make(path, rng, number)` for each PDF, which is the same in each run. A program that fails is named."""
    made = 0
    for number in range(count):
        path = FOLDER / f"{name}-{number}.pdf"
        try:
            make(str(path), random.Random(f"{name}{number}"), number)
            made += 1
        except Exception as error:  # whatever a program may throw
            path.unlink(missing_ok=True)
            print(f"{name}: {type(error).__name__}: {str(error)[:200]}")
            break
    print(name, made)


def one_of(number, *names):
    """The path of a PDF that one of these programs has made."""
    made = sorted(path for path in FOLDER.glob("*.pdf") if path.name.split("-")[0] in names)
    return str(made[number * 7 % len(made)])


def write_picture():
    """A PNG of 16 by 16 pixels with transparency."""
    size = 16
    pixel = lambda x, y: bytes((x * 16, y * 16, 128, 255 - x * 8))
    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(size)) for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    PICTURE.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


write_picture()
