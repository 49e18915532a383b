/** How a browser is started, and what one render may take of it. */

export interface BrowserSettings {
  sandbox: 'auto' | 'on' | 'off';
  rendererMemoryBytes: number;
  rendererHeapBytes: number;
  maxPdfBytes: number;
  /** What one render may take from the network. */
  renderMaxRequests: number;
  renderMaxNetworkBytes: number;
  renderMaxConnections: number;
  resourceTimeoutMs: number;
}
