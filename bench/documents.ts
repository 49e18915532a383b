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

/** A letter of one page. */
export function letter(head = ''): string {
  const lines = ['ACME Ltd<br>1 High Street<br>London', '27 November 2026', '<b>Your order 4711</b>', 'Dear Ms Miller,'];
  const text = [...lines, ...paragraphs(3), 'Yours sincerely', 'Jane Doe'].map((line) => `<p>${line}</p>`).join('');
  const letterStyle = '<style>@page { margin: 25mm } body { font: 11pt/1.5 serif }</style>';
  return `<!doctype html><html lang="en"><head><title>Letter</title>${letterStyle}${head}</head><body>${text}</body></html>`;
}

/** Eight chapters of justified text, on about 30 small pages. */
export function book(): string {
  const chapters = Array.from({ length: 8 }, (_, n) => {
    const text = paragraphs(25, n).map((one) => `<p>${one}</p>`);
    return `<h2>Chapter ${n + 1}</h2>${text.join('')}`;
  });
  const bookStyle =
    '<style>@page { size: A5; margin: 18mm } body { font: 10.5pt/1.4 serif; text-align: justify } p { text-indent: 1em; margin: 0 }</style>';
  return `<!doctype html><html lang="en"><head><title>Book</title>${bookStyle}</head><body>${chapters.join('')}</body></html>`;
}

/** A statement of 300 bookings, on about ten pages. */
export function statement(): string {
  const rows = paragraphs(300).map((text, n) => {
    const date = `2026-${String(1 + (n % 12)).padStart(2, '0')}-${String(1 + (n % 28)).padStart(2, '0')}`;
    const amounts = [(n * 37.13) % 900, (n * 137.13) % 9_000].map((amount) => `<td class="n">${amount.toFixed(2)}`);
    return `<tr><td>${date}<td>${text.slice(0, 60)}${amounts.join('')}`;
  });
  const statementStyle =
    '<style>body { font: 9pt sans-serif } table { width: 100%; border-collapse: collapse } td, th { border-bottom: 1px solid #ddd; padding: 3px; text-align: left } .n { text-align: right }</style>';
  return `<!doctype html><html lang="en"><head><title>Statement</title>${statementStyle}</head><body><h1>Statement</h1><table><thead><tr><th>Date<th>Text<th>Amount<th>Balance</thead>${rows.join('')}</table></body></html>`;
}

const WORDS =
  'the of and to in he was that it his her you as had with for she not at but be my on have him is said me which by so this all from they no were if would or when what there been one could very an who them now more out do are up their your will little than then some into any well much about time know should man did like such never good only how made see other must can say before come great think over own came after house day old world letter morning evening paper garden'.split(
    ' ',
  );
const SEED = 7;

/** Paragraphs of about sixty words, the same for each call. */
function paragraphs(count: number, variant = 0): string[] {
  let state = SEED + variant;
  const random = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  const sentence = () => {
    const words = Array.from({ length: 6 + random(18) }, () => WORDS[random(WORDS.length)]).join(' ');
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}${random(5) ? '.' : '!'}`;
  };
  return Array.from({ length: count }, () => Array.from({ length: 3 + random(5) }, sentence).join(' '));
}
