#!/usr/bin/env bash
# Makes PDFs with many programs: `tools/foreign-pdfs/programs/make.sh FOLDER [COUNT]`. COUNT is how many of each program; default: 18.
# Libraries are installed into FOLDER/.programs. Programs that are not on this machine are named and left out:
#   apt-get install -y ghostscript groff qpdf poppler-utils libreoffice-writer-nogui texlive-latex-base
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "${1:?names no folder}" && cd "$1" && pwd)
count=${2:-18}
programs=$folder/.programs
if [[ ! -d $programs/python ]]; then
  python3 -m venv "$programs/python"
  "$programs/python/bin/pip" install --quiet -r "$here/requirements.txt"
fi
npm install --silent --no-audit --no-fund --prefix "$programs" pdfkit@0.20 jspdf@4 pdf-lib@1
python() { "$programs/python/bin/python" "$here/$1.py" "$folder" "$count"; }
python libraries
node "$here/javascript.ts" "$folder" "$count"
python commands
python changes
