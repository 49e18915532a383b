/** How a browser is started, and what one render may take of it. */

export interface BrowserSettings {
  sandbox: 'auto' | 'on' | 'off';
  rendererMemoryBytes: number;
  rendererHeapBytes: number;
  /** Of the browser and its helpers together, without renderers. */
  browserMemoryBytes: number;
  /** Of a PDF, or of an image. */
  maxPdfBytes: number;
  maxImagePixels: number;
  /** What one render may take from the network. */
  renderMaxRequests: number;
  renderMaxNetworkBytes: number;
  renderMaxConnections: number;
  resourceTimeoutMs: number;
  /** Fonts of the operator's; empty: none. */
  fontsDir: string;
}
