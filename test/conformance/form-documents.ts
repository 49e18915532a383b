/** Documents with controls that become form fields. All of them conform. */

const page = (body: string, head = '') => `<!doctype html><html lang="en"><title>A form</title>${head}<h1>Form</h1>${body}`;
const ALL_CONTROLS = `<form><p><label>Name <input name="name" value="Ada" maxlength="40" required></label>
<p><label>Notes <textarea name="notes" rows="3">one\ntwo</textarea></label>
<p><label><input type="checkbox" name="yes" checked> Yes</label> <label><input type="checkbox" name="no"> No</label>
<fieldset><legend>Payment</legend><label><input type="radio" name="pay" value="card" checked> Card</label> <label><input type="radio" name="pay" value="cash"> Cash</label></fieldset>
<p><label>Size <select name="size"><option>Small<option selected>Large</select></label> <label>Parts <select name="parts" multiple><option>One<option selected>Two</select></label>
<p><label>Day <input type="date" name="day" value="2026-01-31"></label> <label>PIN <input type="password" name="pin" value="1234"></label>
<div data-signature-field="by" aria-label="Signature" style="height: 50px; border-bottom: 1px solid"></div><p><button type="button">Print</button></form>`;

const FORMS: Record<string, string | [html: string, options?: object]> = {
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
  'a form of Bootstrap': [
    page(
      `<div class="row"><div class="col"><label for="e" class="form-label">E-mail</label><input type="email" class="form-control" id="e" placeholder="name@example.com"><div class="form-text">We never share it.</div></div>
<div class="col"><label for="z" class="form-label">Zip</label><input class="form-control is-invalid" id="z" value="80-12" required pattern="\\d+"></div></div>
<div class="input-group"><span class="group-text">€</span><input class="form-control" aria-label="Amount" value="1,250.00" style="text-align: right"><span class="group-text">.00</span></div>
<select class="form-select" aria-label="Country"><option selected>Austria<option>Japan</select><div class="check"><input class="check-input" type="checkbox" id="c1" checked><label for="c1">Remember me</label></div>
<div class="check"><input class="check-input" type="checkbox" id="c2"><label for="c2">Newsletter</label></div><div class="check switch"><input class="check-input" type="checkbox" role="switch" id="c3" checked><label for="c3">Notify</label></div>
<div class="check"><input class="check-input" type="radio" name="r" id="r1" checked><label for="r1">Post</label></div><div class="check"><input class="check-input" type="radio" name="r" id="r2" disabled><label for="r2">Courier</label></div>`,
      `<style>* { box-sizing: border-box } body { font: 16px/1.5 Arimo, sans-serif } .row { display: flex; gap: 24px } .col { flex: 1 } .form-text { font-size: 14px; color: #6c757d } .input-group { display: flex; margin: 16px 0 }
.form-control, .form-select { appearance: none; display: block; width: 100%; padding: 6px 12px; font: inherit; color: #212529; background-color: #fff; border: 1px solid #ced4da; border-radius: 4px } .form-control::placeholder { color: #6c757d; opacity: 1 }
.is-invalid { border-color: #dc3545; padding-right: 36px; background: url("data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 12' stroke='%23dc3545' fill='none'%3e%3ccircle cx='6' cy='6' r='4.5'/%3e%3c/svg%3e") no-repeat right 9px center / 18px }
.form-select { background: url("data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3e%3cpath fill='none' stroke='%23343a40' stroke-width='2' d='m2 5 6 6 6-6'/%3e%3c/svg%3e") no-repeat right 12px center / 16px 12px } .group-text { padding: 6px 12px; background: #e9ecef; border: 1px solid #ced4da }
.check { min-height: 24px; padding-left: 24px } .check-input { float: left; margin: 4px 0 0 -24px; width: 16px; height: 16px; appearance: none; background: #fff no-repeat center / contain; border: 1px solid rgba(0, 0, 0, .25); border-radius: 4px } .check-input[type="radio"] { border-radius: 50% }
.check-input:checked { background-color: #0d6efd; border-color: #0d6efd; background-image: url("data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3e%3cpath fill='none' stroke='%23fff' stroke-width='3' d='m6 10 3 3 6-6'/%3e%3c/svg%3e") } .check-input:disabled { opacity: .5 }
.check-input:checked[type="radio"] { background-image: url("data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg' viewBox='-4 -4 8 8'%3e%3ccircle r='2' fill='%23fff'/%3e%3c/svg%3e") } .switch { padding-left: 40px } .switch .check-input { width: 32px; margin-left: -40px; border-radius: 32px; background-position: right center; background-image: none }</style>`,
    ),
  ],
  'labels that float': [
    page(
      '<div class="f"><input id="a" placeholder=" " value="Ada Lovelace"><label for="a">Full name</label></div><div class="f"><input id="b" placeholder=" "><label for="b">City</label></div><div class="f"><textarea id="c" placeholder=" ">First line\nSecond line, a longer one that wraps at the end of its box, because it has no room</textarea><label for="c">Message</label></div>',
      '<style>.f { position: relative; margin: 18px 0; width: 320px } .f input, .f textarea { width: 100%; box-sizing: border-box; padding: 22px 12px 6px; border: 0; border-bottom: 2px solid teal; background: #f4f7f7; font: 15px Arimo; transition: all .2s } .f textarea { height: 90px } .f label { position: absolute; left: 12px; top: 14px; color: #678; transition: all .2s } .f :not(:placeholder-shown) + label { top: 4px; font-size: 11px }</style>',
    ),
  ],
  'boxes in a table': [
    page(
      `<table border="1"><thead><tr><th scope="col">Task<th scope="col">Done<th scope="col">Priority<tbody>${['Paint', 'Sweep', 'Lock up'].map((task, n) => `<tr><th scope="row">${task}<td><input type="checkbox" aria-label="${task} done" ${n % 2 ? '' : 'checked'}><td><label><input type="radio" name="p${n}" checked> high</label> <label><input type="radio" name="p${n}"> low</label>`).join('')}</table>`,
      '<style>input { accent-color: #b5179e } td { padding: 3px 7.4px }</style>',
    ),
  ],
  'lists with groups': [
    page(
      '<p><label>Car <select name="car"><optgroup label="Swedish"><option>Volvo<option>Saab</optgroup><optgroup label="German"><option selected>Audi<option disabled>BMW</optgroup></select></label><p><label>Fruit <select name="fruit" multiple size="7"><option>Any<optgroup label="Sweet"><option selected>Mango<option>Fig</optgroup><optgroup label="Sour"><option>Lemon<option selected>Lime</optgroup></select></label><p><label>Size <select size="3" style="font: 18px serif; color: navy"><option>S<option selected>M<option>L<option>XL</select></label>',
    ),
  ],
  'a form from right to left':
    '<!doctype html><html lang="ar" dir="rtl"><title>نموذج</title><h1>نموذج</h1><p><label>الاسم <input value="مريم أحمد"></label><p><label>المدينة <input placeholder="اسم المدينة"></label><p><label>ملاحظات <textarea>السطر الأول\nالسطر الثاني 123</textarea></label><p><label><input type="checkbox" checked> أوافق</label> <label>الهاتف <input type="tel" dir="ltr" value="+966 50 123"></label><p><label>البلد <select><option>مصر<option selected>لبنان</select></label>',
  'fields that cannot be changed': page(
    '<fieldset disabled><legend>Closed</legend><label>Number <input value="No. 417"></label> <label><input type="checkbox" checked> Paid</label> <label><input type="radio" checked> Card</label> <label>Kind <select><option>Invoice</select></label> <label>Note <textarea>nothing</textarea></label></fieldset><p><label>Read <input readonly value="only"></label> <label>Read <textarea readonly placeholder="Nothing was written"></textarea></label> <label><input type="checkbox" disabled> off</label>',
  ),
  'fields of text in styles': page(
    '<p><label>Code <input style="text-transform: uppercase; letter-spacing: 4px; font: bold italic 20px monospace" value="ab-12"></label><p><label>Amount <input type="number" style="text-align: end; word-spacing: 9px; color: darkred" value="12.5"></label><p><label>Long <input size="8" value="a text that is longer than its box"></label><p><label>Mixed <input style="font-variant: small-caps; text-shadow: 1px 1px silver; text-decoration: underline" value="Small Caps"></label><p><label>Lines <textarea wrap="off" style="text-align: center; line-height: 2; tab-size: 2">centred\n\tand wide, and so wide that it does not end here</textarea></label>',
  ),
  'boxes drawn by pseudo-elements': page(
    '<p><label><input type="checkbox" class="t" checked> Tick</label> <label><input type="checkbox" class="t"> None</label><p><label><input type="radio" name="d" class="d" checked> One</label> <label><input type="radio" name="d" class="d"> Two</label><p><label><input type="checkbox" class="s" checked> Switch</label> <label><input type="checkbox" class="w" checked> Word</label>',
    `<style>.t, .d, .s, .w { appearance: none; margin: 0 } .t { display: inline-grid; place-content: center; width: 18px; height: 18px; border: 2px solid #334; border-radius: 3px; color: #063 } .t::before { content: ""; width: 11px; height: 11px; transform: scale(0); transition: 120ms transform; box-shadow: inset 1em 1em currentcolor; clip-path: polygon(14% 44%, 0 65%, 50% 100%, 100% 16%, 80% 0%, 43% 62%) } .t:checked::before { transform: scale(1) }
.d { width: 16px; height: 16px; border: 1px solid purple; border-radius: 50%; position: relative } .d:checked::after { content: ""; position: absolute; inset: 3px; border-radius: 50%; background: purple } .s { width: 40px; height: 20px; border-radius: 10px; background: #bbb; position: relative; transition: background .3s } .s::after { content: ""; position: absolute; top: 2px; left: 2px; width: 16px; height: 16px; border-radius: 50%; background: white; transition: left .3s } .s:checked { background: seagreen } .s:checked::after { left: 22px }
.w { font: 12px Arimo; width: 44px; height: 18px; border: 1px solid } .w::before { content: "no" } .w:checked::before { content: "yes <3" } </style>`,
  ),
  'fields with frames and backgrounds': page(
    '<p><label>Dashed <input style="border: 3px dashed orange; border-radius: 12px; padding: 4px 9px" value="Dashed"></label><p><label>Shade <input style="border: 1px solid #999; box-shadow: inset 0 2px 3px #ddd, 0 0 5px gold; background: linear-gradient(#fff, #dff)" value="Shade"></label><p><label>Find <input type="search" style="padding-left: 28px; background: no-repeat 6px center url(&quot;data:image/svg+xml,%3csvg xmlns=\'http://www.w3.org/2000/svg\' width=\'14\' height=\'14\'%3e%3ccircle cx=\'6\' cy=\'6\' r=\'4\' fill=\'none\' stroke=\'gray\'/%3e%3c/svg%3e&quot;)" value="terms"></label><p style="opacity: .6"><label>Faint <input value="Faint" style="border: 2px groove"></label> <label><input type="checkbox" checked> faint</label>',
  ),
  'dates and times': page(
    '<p><label>Born <input type="date" value="1815-12-10"></label> <label>Empty <input type="date" required></label><p><label>At <input type="time" value="14:05"></label> <label>Exactly <input type="time" step="1" value="14:05"></label> <label>Meet <input type="datetime-local" value="2026-01-31T09:30"></label><p><label>Month <input type="month" value="2026-02"></label> <label>Week <input type="week" value="2026-W05"></label><p lang="de"><label>Tag <input type="date" value="2026-01-31"></label>',
  ),
  'suggestions and other kinds of text': page(
    '<p><label>Tea <input list="t" value="Green"></label><datalist id="t"><option>Green<option>Black</datalist> <label>Site <input type="url" value="https://example.com/"></label><p><label>Phone <input type="tel" placeholder="+43 …" required></label> <label>Key <input type="password" placeholder="at least 8 characters"></label>',
  ),
  'lists and menus in styles': page(
    '<p><label>Days <select multiple size="4"><option>Monday<option selected>Tuesday<option disabled>Wednesday</select></label><p><label>Dark <select multiple size="2" class="dark"><option selected>On<option>Off</select></label> <label>Loose <select size="3" class="loose"><option>One<option selected>Two</select></label><p><label>Narrow <select style="width: 70px"><option>Wider than its box</select></label> <label>End <select style="width: 160px; text-align: end"><option>here</select></label> <label>Other <select dir="rtl" style="width: 70px"><option>Wider than its box</select></label>',
    '<style>* { margin: 0; padding: 0; box-sizing: border-box } .dark { color-scheme: dark; background: #222 } .loose option { padding: 5px 12px; font: italic 17px serif; color: darkred; background: #eee }</style>',
  ),
  'native boxes among other content': page(
    '<p><label><input type="checkbox" checked style="margin-bottom: 24px"> Margin</label><p><label><input type="checkbox" checked style="vertical-align: top; margin: 9px"> Top</label> <label><input type="radio" checked style="vertical-align: -3px"> Lower</label> <label><input type="checkbox" checked style="vertical-align: middle; margin-bottom: 5px"> Middle</label> <label><input type="checkbox" checked style="display: inline; font-size: 40px"> Inline</label><p>After<table border="1"><tr><th scope="col">Question<th scope="col">Yes<th scope="col">Reason<tr><th scope="row">Well?<td><input type="radio" checked aria-label="Yes" style="width: 100%"><td><input aria-label="Reason" style="width: 100%"></table>',
  ),
  'boxes that are scaled': page(
    '<p><label><input type="checkbox" checked class="l"> Large</label> <label><input type="radio" name="l" class="l"> Round</label><p><label><input type="checkbox" checked class="o"> Own</label> <label><input type="checkbox" class="o"> Other</label>',
    '<style>.l { width: 16px; height: 16px; margin: 12px; scale: 1.5 } .o { appearance: none; width: 20px; height: 20px; border: 2px solid navy; position: relative; transform: scale(1.4); margin: 10px } .o:checked::after { content: ""; position: absolute; inset: 3px; background: navy }</style>',
  ),
  'texts that fit their box': page(
    '<p><label>Text <textarea style="field-sizing: content">Fits its words\nexactly</textarea></label> <label>Line <input style="field-sizing: content" value="Fits"></label><p><label>Kept <textarea style="white-space: nowrap">two  spaces\nand lines</textarea></label>',
  ),
  'no controls at all': [page('<p>Text.')],
};

export function formDocuments(): Array<{ name: string; html: string; options: object }> {
  return Object.entries(FORMS).map(([name, given]) => {
    const [html, options] = typeof given === 'string' ? [given] : given;
    return { name, html, options: { ...options, forms: true } };
  });
}
