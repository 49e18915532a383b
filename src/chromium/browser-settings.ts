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
  /** How far it gives way to other processes, up to 19. Default: a little. */
  niceness?: number;
}
