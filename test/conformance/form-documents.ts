/** Documents with controls that become form fields. All of them conform. */

const page = (body: string, head = '') => `<!doctype html><html lang="en"><title>A form</title>${head}<h1>Form</h1>${body}`;
const ALL_CONTROLS = `<form><p><label>Name <input name="name" value="Ada" maxlength="40" required></label>
<p><label>Notes <textarea name="notes" rows="3">one\ntwo</textarea></label>
<p><label><input type="checkbox" name="yes" checked> Yes</label> <label><input type="checkbox" name="no"> No</label>
<fieldset><legend>Payment</legend><label><input type="radio" name="pay" value="card" checked> Card</label> <label><input type="radio" name="pay" value="cash"> Cash</label></fieldset>
<p><label>Size <select name="size"><option>Small<option selected>Large</select></label> <label>Parts <select name="parts" multiple><option>One<option selected>Two</select></label>
<p><label>Day <input type="date" name="day" value="2026-01-31"></label> <label>PIN <input type="password" name="pin" value="1234"></label>
<div data-signature-field="by" aria-label="Signature" style="height: 50px; border-bottom: 1px solid"></div><p><button type="button">Print</button></form>`;

const FORMS: Record<string, [html: string, options?: object]> = {
  'controls of each kind': [page(ALL_CONTROLS)],
  'controls in a table': [
    page(
      '<table border="1"><tr><th scope="col">Item<th scope="col">Count<tr><td>Apples<td><input aria-label="Apples" name="n" value="3"><tr><td>Pears<td><input aria-label="Pears" name="n">',
    ),
  ],
  'controls on several pages': [
    page(
      '<p style="break-after: page"><label>A <input name="a" value="x"></label><p><label>B <input name="b" value="y"></label>',
    ),
  ],
  'controls in columns and lists': [
    page(
      '<ul style="columns: 2"><li><label>A <input size="9"></label><li><label><input type="checkbox"> B</label><li><label>C <select><option>c</select></label></ul>',
    ),
  ],
  'values in many scripts': [
    page(
      '<p><input aria-label="a" value="Łódź Ωμέγα Привет"> <input aria-label="b" value="漢字 かな 한국어" lang="ja"> <input aria-label="c" dir="rtl" value="مرحبا"> <textarea aria-label="d">नमस्ते\n😀</textarea>',
    ),
  ],
  'controls without boxes': [
    page(
      '<style>input { border: none; background: none }</style><p><label>A <input value="a"></label> <label>B <input></label> <input type="checkbox" aria-label="c" checked>',
    ),
  ],
  'styled controls': [
    page(
      '<label><input class="own" type="checkbox" checked> A</label> <label><input class="own" type="radio" name="r" checked> B</label>',
      '<style>.own { appearance: none; width: 16px; height: 16px; border: 2px solid green } .own:checked { background: green } .own:checked::after { content: "x" }</style>',
    ),
  ],
  'controls with a watermark, a header and margins': [
    page(ALL_CONTROLS),
    { watermark: { text: 'DRAFT' }, headerTemplate: '<p style="font-size: 9px">Head</p>', margin: '2cm' },
  ],
  'rotated and scaled controls': [
    page(
      '<div style="transform: rotate(8deg) scale(0.8)"><label>A <input value="a"></label></div><div style="opacity: 0.5"><label>B <input value="b"></label></div>',
    ),
    { scale: 0.7 },
  ],
  'no controls at all': [page('<p>Text.')],
};

export function formDocuments(): Array<{ name: string; html: string; options: object }> {
  return Object.entries(FORMS).map(([name, [html, options]]) => ({ name, html, options: { ...options, forms: true } }));
}
