/** Settings of a browser, and limits of one render. */

export interface BrowserSettings {
  sandbox: 'auto' | 'on' | 'off';
  rendererMemoryBytes: number;
  rendererHeapBytes: number;
  /** Limits the browser and its helper processes together, without renderers. */
  browserMemoryBytes: number;
  /** Limits a PDF or an image. */
  maxPdfBytes: number;
  maxImagePixels: number;
  /** Limits the network traffic of one render. */
  renderMaxRequests: number;
  renderMaxNetworkBytes: number;
  renderMaxConnections: number;
  resourceTimeoutMs: number;
  /** The operator's fonts. Empty if there are none. */
  fontsDir: string;
}
