/** Pages that move: libraries of animations, sections that show themselves when they are scrolled to, and what is new every time. */
import { type CorpusDocument, family, type Parts } from '../page.ts';

const TOWNS = ['Wien', 'Graz', 'Linz', 'Salzburg', 'Innsbruck'];
const sections = (attributes: string) =>
  TOWNS.map((town) => `<section ${attributes} style="height: 420px"><h1>${town}</h1><p>A section of its own.</p></section>`).join(
    '',
  );
/** The last section ends on a page of its own, without content. */
const ENDS_BLANK = ['page_blank'];
const boxes = TOWNS.map(
  (town) => `<div class="box" style="width: 140px; margin: 10px; padding: 14px; background: #cde">${town}</div>`,
).join('');
const keyframes = (layers: object) => ({
  a: 1,
  k: Object.entries(layers).map(([t, s]) => ({ t: Number(t), s, i: { x: [1], y: [1] }, o: { x: [0], y: [0] } })),
});

const LOTTIE = {
  v: '5.7.0',
  fr: 30,
  ip: 0,
  op: 60,
  w: 400,
  h: 200,
  assets: [],
  layers: [
    {
      ty: 4,
      ip: 0,
      op: 61,
      st: 0,
      ks: {
        o: keyframes({ 0: [0], 40: [100] }),
        r: { a: 0, k: 0 },
        p: keyframes({ 0: [40, 100, 0], 50: [340, 100, 0] }),
        a: { a: 0, k: [0, 0, 0] },
        s: { a: 0, k: [100, 100, 100] },
      },
      shapes: [
        { ty: 'rc', p: { a: 0, k: [0, 0] }, s: { a: 0, k: [80, 80] }, r: { a: 0, k: 8 } },
        { ty: 'fl', c: { a: 0, k: [0.2, 0.5, 0.6, 1] }, o: { a: 0, k: 100 } },
      ],
    },
  ],
};

const MOVING: Record<string, Parts> = {
  'Animate.css': {
    uses: ['animate.css/animate.min.css'],
    body: TOWNS.map(
      (town, index) => `<h1 class="animate__animated animate__fadeInUp" style="animation-delay: ${index * 300}ms">${town}</h1>`,
    ).join(''),
  },
  AOS: {
    uses: ['aos/dist/aos.css', 'aos/dist/aos.js'],
    body: sections('data-aos="fade-up"'),
    warnings: ENDS_BLANK,
    script: 'AOS.init({ duration: 900 })',
  },
  'WOW.js': {
    uses: ['animate.css/animate.compat.css', 'wow.js/dist/wow.min.js'],
    body: sections('class="wow fadeInLeft"'),
    warnings: ENDS_BLANK,
    script: 'new WOW().init()',
  },
  'IntersectionObserver that reveals': {
    style: 'section { opacity: 0; transform: translateY(40px); transition: all .8s } .seen { opacity: 1; transform: none }',
    body: sections(''),
    warnings: ENDS_BLANK,
    script: `const observer = new IntersectionObserver((entries) => { for (const { target, isIntersecting } of entries) target.classList.toggle('seen', isIntersecting) }, { threshold: .3 });
      document.querySelectorAll('section').forEach((each) => observer.observe(each))`,
  },
  GSAP: {
    uses: ['gsap/dist/gsap.min.js'],
    body: boxes,
    script: `gsap.from('.box', { opacity: 0, x: -200, duration: 1, stagger: .2 })`,
  },
  'GSAP, a timeline': {
    uses: ['gsap/dist/gsap.min.js'],
    body: boxes,
    script: `gsap.timeline().to('.box', { x: 300, duration: .8 }).to('.box', { rotation: 8, backgroundColor: '#fca', duration: .6 }).to('.box', { scale: .8, duration: .6 })`,
  },
  'GSAP, sections that appear when they are scrolled to': {
    uses: ['gsap/dist/gsap.min.js', 'gsap/dist/ScrollTrigger.min.js'],
    body: sections(''),
    warnings: ENDS_BLANK,
    script: `document.querySelectorAll('section').forEach((each) => gsap.from(each, { opacity: 0, y: 50, duration: .8, scrollTrigger: each }))`,
  },
  'anime.js': {
    uses: ['animejs/dist/bundles/anime.umd.min.js'],
    body: boxes,
    script: `anime.animate('.box', { x: 250, opacity: [0, 1], delay: anime.stagger(150), duration: 1000 })`,
  },
  CountUp: {
    uses: ['countup.js/dist/countUp.umd.js'],
    body: '<h1 id="count">0</h1><p>sheets of paper</p>',
    script: `new countUp.CountUp('count', 52147, { duration: 2 }).start()`,
  },
  'Typed.js': {
    uses: ['typed.js/dist/typed.umd.js'],
    body: '<h1><span id="typed"></span></h1>',
    script: `new Typed('#typed', { strings: ['All that is typed is printed.'], typeSpeed: 30, showCursor: false })`,
  },
  Lottie: {
    uses: ['lottie-web/build/player/lottie.min.js'],
    body: '<h1>A square</h1><div id="place" style="width: 400px; height: 200px"></div>',
    script: `lottie.loadAnimation({ container: place, renderer: 'svg', loop: false, autoplay: true, animationData: ${JSON.stringify(LOTTIE)} })`,
  },
  'CSS transitions': {
    style:
      '.box { transition: margin-left 1.4s ease-in-out .2s, background 2s } .there .box { margin-left: 300px !important; background: #cfc !important }',
    body: boxes,
    script: `addEventListener('load', () => setTimeout(() => document.body.classList.add('there'), 200))`,
  },
  'Web Animations': {
    body: boxes,
    script: `document.querySelectorAll('.box').forEach((box, index) => box.animate([{ opacity: 0 }, { opacity: 1, transform: 'translateX(200px)' }], { duration: 900, delay: index * 200, fill: 'both' }))`,
  },
  'SVG that animates itself': {
    body: `<svg width="600" height="200"><rect y="60" width="80" height="80" fill="teal"><animate attributeName="x" from="0" to="500" dur="2s" fill="freeze"/></rect></svg><p>There.</p>`,
  },
  'frames counted by a script': {
    body: '<h1 id="count"></h1><canvas id="canvas" width="600" height="100"></canvas>',
    script: `const start = performance.now(), context = canvas.getContext('2d'); const step = (now) => { const share = Math.min(1, (now - start) / 1500); count.textContent = Math.round(share * 100) + ' %';
      context.clearRect(0, 0, 600, 100); context.fillStyle = 'crimson'; context.fillRect(0, 20, share * 600, 60); if (share < 1) requestAnimationFrame(step) }; requestAnimationFrame(step)`,
  },
};

const moving = family('Moving with', MOVING, (parts) => parts);

const endless = family<Parts>(
  'Moving for ever:',
  {
    'a spinner': {
      style:
        '@keyframes turn { to { transform: rotate(1turn) } } .turns { width: 80px; height: 80px; border: 10px solid #ccc; border-top-color: teal; border-radius: 50%; animation: turn 1s linear infinite }',
      body: '<h1>Waiting</h1><div class="turns"></div>',
    },
    'Animate.css': {
      uses: ['animate.css/animate.min.css'],
      style: '.box { animation-duration: 3s !important; animation-iteration-count: infinite !important }',
      body: boxes.replaceAll('class="box"', 'class="box animate__animated animate__pulse"'),
    },
  },
  (parts) => parts,
  {
    reference: { style: '* { animation-play-state: paused !important }', why: 'what never ends is printed at its first frame' },
  },
);

const changing = family<Parts>(
  'New every time:',
  {
    'the time': {
      body: '<h1>Printed at <span id="time"></span></h1>',
      script: `document.querySelector('#time').textContent = new Date().toISOString()`,
    },
    'random numbers': {
      body: '<h1 id="number"></h1>',
      script: `document.querySelector('#number').textContent = 'Ticket ' + Math.random()`,
    },
  },
  (parts) => parts,
  { differs: true },
);

export const MOTION: CorpusDocument[] = [...moving, ...endless, ...changing];
