/** The flags with which the browser is started, each with its reason. */

export interface LaunchOptions {
  proxyUrl: string;
  profileDir: string;
  sandbox: boolean;
  /** The limit of a renderer's JavaScript heap in bytes. */
  heapBytes: number;
}

export function launchFlags({ proxyUrl, profileDir, sandbox, heapBytes }: LaunchOptions): string[] {
  return [
    ...Object.keys(FLAGS),
    `--user-data-dir=${profileDir}`, // its own profile, which is removed with the browser
    ...(sandbox ? [] : ['--no-sandbox']), // for root, or if the kernel forbids the sandbox: see the warning at start
    `--proxy-server=${proxyUrl}`, // every request leaves through our proxy
    `--js-flags=--max-old-space-size=${Math.floor(heapBytes / 1_048_576)}`, // a script cannot grow its heap without end
  ];
}

const FLAGS: Readonly<Record<string, string>> = {
  '--headless': 'no display',
  '--remote-debugging-pipe': 'pages could connect to a port; with a pipe, the browser ends with its parent',

  // A page may reach only the egress proxy. These flags were tested together, and none is sufficient alone.
  '--proxy-bypass-list=<-loopback>': 'Chromium otherwise bypasses a proxy for loopback and link-local addresses',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1': 'Chromium resolves no name by itself',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp': 'no datagrams (the name the headless shell honours)',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp': 'no datagrams (the name the full browser honours)',
  '--disable-quic': 'QUIC would not go through the proxy',
  '--enable-features=EnablePortBoundCookies,EnableSchemeBoundCookies':
    'a cookie is sent only to the origin that it was set for, not to other ports of its host',
  '--block-new-web-contents': 'no popups',
  '--disable-background-networking': 'no traffic of the browser itself',
  '--disable-component-update': 'no traffic of the browser itself',
  '--disable-domain-reliability': 'no traffic of the browser itself',
  '--disable-sync': 'no traffic of the browser itself',
  '--no-pings': 'no hyperlink auditing (only the full browser knows the flag; pings of the shell go through the proxy)',
  '--no-first-run': 'no first-run work',
  '--no-default-browser-check': 'no first-run work',

  // These flags limit what a document can do.
  '--disable-breakpad': 'no crash dumps: they would hold customers’ documents',
  '--disable-crash-reporter': 'no crash dumps: they would hold customers’ documents',

  // These flags make rendering faster: warm pages stay in one renderer and one frame.
  '--disable-features=RenderDocument,SpareRendererForSitePerProcess,IsolateSandboxedIframes,ThirdPartyStoragePartitioning,Translate,MediaRouter,OptimizationHints,AcceptCHFrame':
    'RenderDocument and the spare renderer halve the speed of a warm page; sandboxed iframes stay in the renderer whose memory is limited; frames of other sites have the quota of their origin, which would not apply to a partition; printing does not need the rest',
  '--disable-site-isolation-trials':
    'all frames of a document are in the renderer that is watched; the headless shell does so anyway',
  '--disable-gpu': 'printing needs no GPU',
  '--disable-dev-shm-usage': 'containers have a /dev/shm of 64 MB',
  '--disable-extensions': 'printing does not need them',
  '--disable-hang-monitor': 'the service has its own deadlines',
  '--disable-renderer-backgrounding': 'a page that prints is never in the background',
  '--disable-background-timer-throttling': 'a page that prints is never in the background',
  '--disable-backgrounding-occluded-windows': 'a page that prints is never in the background',

  // With these flags, a document looks the same on every machine.
  '--font-render-hinting=none': 'text is laid out by the font, not by the screen’s pixels',
  '--force-color-profile=srgb': 'colours do not depend on the machine',
  '--hide-scrollbars': 'scrollbars do not belong on paper',
  '--mute-audio': 'no sound device',
  '--password-store=basic': 'no desktop key ring',
};
