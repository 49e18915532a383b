/** Applications of a single page, each of which fetches an invoice and shows it its own way; and parts of pages that build themselves. */
import { type CorpusDocument, family, type Parts } from '../page.ts';

const INVOICE = '/data/invoice.json';
const LIT = {
  lit: 'lit/index.js',
  'lit-html': 'lit-html/lit-html.js',
  'lit-html/is-server.js': 'lit-html/is-server.js',
  'lit-element/lit-element.js': 'lit-element/lit-element.js',
  '@lit/reactive-element': '@lit/reactive-element/reactive-element.js',
};
const PREACT = { preact: 'preact/dist/preact.mjs', 'preact/hooks': 'preact/hooks/dist/hooks.mjs' };
const REACT = ['react/umd/react.production.min.js', 'react-dom/umd/react-dom.production.min.js'];
const COMPONENT = `function Invoice() {
    const [invoice, setInvoice] = useState();
    useEffect(() => { fetch('${INVOICE}').then((reply) => reply.json()).then(setInvoice) }, []);
    if (!invoice) return h('p', null, 'Loading');
    return h('main', null, h('h1', null, invoice.title), invoice.rows.map(({ what, price }) => h('p', { key: what }, what, ' ', price)));
  }`;
const IN_TEMPLATE = '<h1>{{ invoice.title }}</h1><p v-for="row in invoice.rows">{{ row.what }} {{ row.price }}</p>';

const applications = family<Parts>(
  'Application with',
  {
    React: {
      uses: REACT,
      script: `const { createElement: h, useState, useEffect } = React; ${COMPONENT} ReactDOM.createRoot(app).render(h(Invoice))`,
    },
    'React, in steps': {
      uses: REACT,
      script: `const { createElement: h, useState, useEffect } = React;
        function Step({ number }) { const [text, setText] = useState(); useEffect(() => { fetch('/data/step.json?number=' + number).then((reply) => reply.json()).then(({ text }) => setText(text)) }, []);
          return h('div', null, text ?? 'Loading', text && number < 5 ? h(Step, { number: number + 1 }) : null) }
        ReactDOM.createRoot(app).render(h(Step, { number: 1 }))`,
    },
    Preact: {
      imports: PREACT,
      script: `import { h, render } from 'preact'; import { useState, useEffect } from 'preact/hooks'; ${COMPONENT} render(h(Invoice), app)`,
    },
    Vue: {
      uses: ['vue/dist/vue.global.prod.js'],
      script: `app.innerHTML = \`<template v-if="invoice">${IN_TEMPLATE}</template><p v-else>Loading</p>\`;
        Vue.createApp({ data: () => ({ invoice: undefined }), async mounted() { this.invoice = await (await fetch('${INVOICE}')).json() } }).mount(app)`,
    },
    'Vue and a transition': {
      uses: ['vue/dist/vue.global.prod.js'],
      style: '.fade-enter-active { transition: opacity 1.2s } .fade-enter-from { opacity: 0 }',
      script: `app.innerHTML = \`<Transition name="fade" appear><main v-if="invoice">${IN_TEMPLATE}</main></Transition>\`;
        Vue.createApp({ data: () => ({ invoice: undefined }), async mounted() { this.invoice = await (await fetch('${INVOICE}')).json() } }).mount(app)`,
    },
    'petite-vue': {
      uses: ['petite-vue/dist/petite-vue.iife.js'],
      script: `app.innerHTML = \`<div v-if="invoice">${IN_TEMPLATE}</div>\`; const state = PetiteVue.reactive({ invoice: undefined });
        PetiteVue.createApp({ get invoice() { return state.invoice } }).mount(app); fetch('${INVOICE}').then((reply) => reply.json()).then((invoice) => { state.invoice = invoice })`,
    },
    'Alpine.js': {
      body: `<main x-data="{ invoice: undefined }" x-init="invoice = await (await fetch('${INVOICE}')).json()"><template x-if="invoice"><div><h1 x-text="invoice.title"></h1>
        <template x-for="row in invoice.rows"><p x-text="row.what + ' ' + row.price"></p></template></div></template></main><script defer src="/npm/alpinejs/dist/cdn.min.js"></script>`,
    },
    Lit: {
      imports: LIT,
      body: '<corpus-invoice></corpus-invoice>',
      script: `import { LitElement, html } from 'lit'; customElements.define('corpus-invoice', class extends LitElement {
        static properties = { invoice: { state: true } };
        async connectedCallback() { super.connectedCallback(); this.invoice = await (await fetch('${INVOICE}')).json() }
        render() { return this.invoice ? html\`<h1>\${this.invoice.title}</h1>\${this.invoice.rows.map(({ what, price }) => html\`<p>\${what} \${price}</p>\`)}\` : html\`<p>Loading</p>\` } })`,
    },
    jQuery: {
      uses: ['jquery/dist/jquery.min.js'],
      script: `$(() => $.getJSON('${INVOICE}', ({ title, rows }) => { $(app).append($('<h1>').text(title)); for (const { what, price } of rows) $(app).append($('<p>').text(what + ' ' + price).hide().fadeIn(900)) }))`,
    },
    Mithril: {
      uses: ['mithril/mithril.min.js'],
      script: `let invoice; m.mount(app, { oninit: () => m.request('${INVOICE}').then((value) => { invoice = value }),
        view: () => invoice ? [m('h1', invoice.title), invoice.rows.map(({ what, price }) => m('p', what + ' ' + price))] : m('p', 'Loading') })`,
    },
    htmx: {
      body: '<script src="/npm/htmx.org/dist/htmx.min.js"></script><h1>Invoice</h1><div hx-get="/data/rows.html" hx-trigger="load">Loading</div>',
    },
    XMLHttpRequest: {
      script: `const request = new XMLHttpRequest(); request.open('GET', '${INVOICE}'); request.responseType = 'json';
        request.onload = () => { app.innerHTML = '<h1>' + request.response.title + '</h1>' + request.response.rows.map(({ what, price }) => '<p>' + what + ' ' + price + '</p>').join('') }; request.send()`,
    },
    'a list that grows as it is read': {
      body: '<ul id="list"></ul><div id="end" style="height: 20px"></div>',
      script: `let number = 0; new IntersectionObserver(async ([{ isIntersecting }], observer) => { if (!isIntersecting || number >= 4) return; const { text } = await (await fetch('/data/step.json?number=' + ++number)).json();
        list.innerHTML += ('<li>' + text + '</li>').repeat(8); observer.unobserve(end); observer.observe(end) }).observe(end)`,
    },
  },
  ({ body = '', ...parts }) => ({ body: `${body}<div id="app"></div>`, ...parts }),
);

const PEOPLE = Array.from({ length: 12 }, (_, index) => ({
  id: index + 1,
  name: `Person ${index + 1}`,
  town: index % 2 ? 'Graz' : 'Wien',
}));
const EVENTS = [3, 9, 17, 24].map((day) => ({ title: `Print run ${day}`, start: `2026-03-${String(day).padStart(2, '0')}` }));

const widgets = family<Parts>(
  'Widget',
  {
    FullCalendar: {
      uses: [
        'fullcalendar/skeleton.css',
        'fullcalendar/themes/classic/theme.css',
        'fullcalendar/themes/classic/palette.css',
        'fullcalendar/all/global.js',
        'fullcalendar/themes/classic/global.js',
      ],
      script: `new FullCalendar.Calendar(app, { initialDate: '2026-03-10', now: '2026-03-10', initialView: 'dayGridMonth', events: ${JSON.stringify(EVENTS)} }).render()`,
    },
    Tabulator: {
      uses: ['tabulator-tables/dist/css/tabulator.min.css', 'tabulator-tables/dist/js/tabulator.min.js'],
      script: `new Tabulator(app, { data: ${JSON.stringify(PEOPLE)}, layout: 'fitColumns', columns: [{ title: 'Name', field: 'name' }, { title: 'Town', field: 'town' }] })`,
    },
    'Grid.js': {
      uses: ['gridjs/dist/theme/mermaid.min.css', 'gridjs/dist/gridjs.umd.js'],
      script: `new gridjs.Grid({ columns: ['id', 'name', 'town'], sort: true, data: () => new Promise((resolve) => setTimeout(resolve, 300, ${JSON.stringify(PEOPLE)})) }).render(app)`,
    },
    Swiper: {
      uses: ['swiper/swiper-bundle.min.css', 'swiper/swiper-bundle.min.js'],
      body: `<div class="swiper"><div class="swiper-wrapper">${['First', 'Second', 'Third'].map((name) => `<div class="swiper-slide"><h1>${name}</h1></div>`).join('')}</div><div class="swiper-pagination"></div></div>`,
      script: `new Swiper('.swiper', { autoplay: false, initialSlide: 1, pagination: { el: '.swiper-pagination' } })`,
    },
  },
  ({ body = '', ...parts }) => ({ body: `${body}<div id="app"></div>`, ...parts }),
);

export const APPS: CorpusDocument[] = [...applications, ...widgets];
