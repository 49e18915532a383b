/** The documents the bench renders. */

const style = `<style>body { font-family: sans-serif } table { width: 100%; border-collapse: collapse } td { border-bottom: 1px solid #ccc; padding: 4px } h1 { background: #def }</style>`;

/** An invoice; 20 rows fill one A4 page, 560 rows sixteen. */
export function invoice(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, n) => `<tr><td>${n + 1}</td><td>Widget no. ${n + 1}</td><td>${n * 3}.00</td></tr>`,
  );
  return `<!doctype html><html><head><title>Invoice</title>${style}</head><body><h1>Invoice 42</h1><table>${lines.join('')}</table></body></html>`;
}

/** The invoice with a script, so that the page has to navigate before the next document. */
export function scriptedInvoice(rows: number): string {
  return invoice(rows).replace('</body>', '<script>document.title = "Invoice " + (40 + 2)</script></body>');
}
