/** The flags with which the browser is started, each with its reason. */

export interface LaunchOptions {
  proxyUrl: string;
  profileDir: string;
  sandbox: boolean;
  /** The limit of a renderer's JavaScript heap in bytes. */
  heapBytes: number;
}

interface Flag {
  flag: string;
  why: string;
}

export function launchFlags(options: LaunchOptions): string[] {
  return [...FLAGS, ...startFlags(options)].map(({ flag }) => flag);
}

/** The flags that depend on the browser. */
function startFlags({ proxyUrl, profileDir, sandbox, heapBytes }: LaunchOptions): Flag[] {
  return [
    { flag: `--user-data-dir=${profileDir}`, why: 'its own profile, which is removed with the browser' },
    ...(sandbox
      ? []
      : [{ flag: '--no-sandbox', why: 'for root, or if the kernel forbids the sandbox: see the warning at start' }]),
    { flag: `--proxy-server=${proxyUrl}`, why: 'every request leaves through our proxy' },
    {
      flag: `--js-flags=--max-old-space-size=${Math.floor(heapBytes / 1_048_576)}`,
      why: 'a script cannot grow its heap without end',
    },
  ];
}

const FLAGS: readonly Flag[] = [
  { flag: '--headless', why: 'no display' },
  {
    flag: '--remote-debugging-pipe',
    why: 'pages could connect to a port; with a pipe, the browser ends with its parent',
  },

  // A page may reach only the egress proxy. These flags were tested together, and none is sufficient alone.
  {
    flag: '--proxy-bypass-list=<-loopback>',
    why: 'Chromium otherwise bypasses a proxy for loopback and link-local addresses',
  },
  { flag: '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', why: 'Chromium resolves no name by itself' },
  {
    flag: '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    why: 'no datagrams (the name the headless shell honours)',
  },
  { flag: '--webrtc-ip-handling-policy=disable_non_proxied_udp', why: 'no datagrams (the name the full browser honours)' },
  { flag: '--disable-quic', why: 'QUIC would not go through the proxy' },
  {
    flag: '--enable-features=EnablePortBoundCookies,EnableSchemeBoundCookies',
    why: 'a cookie is sent only to the origin that it was set for, not to other ports of its host',
  },
  { flag: '--block-new-web-contents', why: 'no popups' },
  { flag: '--disable-background-networking', why: 'no traffic of the browser itself' },
  { flag: '--disable-component-update', why: 'no traffic of the browser itself' },
  { flag: '--disable-domain-reliability', why: 'no traffic of the browser itself' },
  { flag: '--disable-sync', why: 'no traffic of the browser itself' },
  {
    flag: '--no-pings',
    why: 'no hyperlink auditing (only the full browser knows the flag; pings of the shell go through the proxy)',
  },
  { flag: '--no-first-run', why: 'no first-run work' },
  { flag: '--no-default-browser-check', why: 'no first-run work' },

  // These flags limit what a document can do.
  { flag: '--disable-breakpad', why: 'no crash dumps: they would hold customers’ documents' },
  { flag: '--disable-crash-reporter', why: 'no crash dumps: they would hold customers’ documents' },

  // These flags make rendering faster: warm pages stay in one renderer and one frame.
  {
    flag: '--disable-features=RenderDocument,SpareRendererForSitePerProcess,IsolateSandboxedIframes,ThirdPartyStoragePartitioning,Translate,MediaRouter,OptimizationHints,AcceptCHFrame',
    why: 'RenderDocument and the spare renderer halve the speed of a warm page; sandboxed iframes stay in the renderer whose memory is limited; frames of other sites have the quota of their origin, which would not apply to a partition; printing does not need the rest',
  },
  {
    flag: '--disable-site-isolation-trials',
    why: 'all frames of a document are in the renderer that is watched; the headless shell does so anyway',
  },
  { flag: '--disable-gpu', why: 'printing needs no GPU' },
  { flag: '--disable-dev-shm-usage', why: 'containers have a /dev/shm of 64 MB' },
  { flag: '--disable-extensions', why: 'printing does not need them' },
  { flag: '--disable-hang-monitor', why: 'the service has its own deadlines' },
  { flag: '--disable-renderer-backgrounding', why: 'a page that prints is never in the background' },
  { flag: '--disable-background-timer-throttling', why: 'a page that prints is never in the background' },
  { flag: '--disable-backgrounding-occluded-windows', why: 'a page that prints is never in the background' },

  // With these flags, a document looks the same on every machine.
  { flag: '--font-render-hinting=none', why: 'text is laid out by the font, not by the screen’s pixels' },
  { flag: '--force-color-profile=srgb', why: 'colours do not depend on the machine' },
  { flag: '--hide-scrollbars', why: 'scrollbars do not belong on paper' },
  { flag: '--mute-audio', why: 'no sound device' },
  { flag: '--password-store=basic', why: 'no desktop key ring' },
];
