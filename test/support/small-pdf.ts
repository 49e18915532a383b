/** Writes small PDFs from the content of their pages, where what Chromium prints could not be changed so exactly. */

export interface SmallPage {
  content: string;
  /** Dictionaries of annotations. */
  annotations?: string[];
  /** Points. Default: 300 by 200. */
  size?: [width: number, height: number];
}

export function smallPdf(pages: readonly SmallPage[], info = ''): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const kids: string[] = [];
  for (const { content, annotations = [], size = [300, 200] } of pages) {
    const stream = objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    const box = `/MediaBox [0 0 ${size.join(' ')}] /Annots [${annotations.join(' ')}]`;
    const resources = '/Resources << /Font << /F 3 0 R >> >>';
    kids.push(`${objects.push(`<< /Type /Page /Parent 2 0 R ${box} ${resources} /Contents ${stream} 0 R >>`)} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`;
  const infoNumber = objects.push(`<< ${info} >>`);
  let file = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer << /Size ${size} /Root 1 0 R /Info ${infoNumber} 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + trailer, 'latin1');
}
