/** Gotenberg's API as a plugin of the HTTP server. If it is off, the plugin only explains that. */
import type { Plugin } from '../http/server/plugin.ts';
import { errorSender } from './errors.ts';
import { PDF_ROUTES } from './known-fields.ts';
import { type GotenbergRouteOptions, type GotenbergServices, gotenbergRoutes, gotenbergSystemRoutes } from './routes.ts';

const NO_ENDPOINT = `there is no endpoint at this URL; of the routes of Gotenberg, this server has /forms/chromium/{convert,screenshot}/{html,url,markdown} and /forms/pdfengines/{${Object.keys(PDF_ROUTES).join(',')}}`;
const TURNED_OFF = 'the Gotenberg routes are off; the operator turns them on with PLATEN_GOTENBERG_ROUTES=on';

export function gotenbergPlugin(services: GotenbergServices, options: GotenbergRouteOptions & { version: string }): Plugin {
  const isOn = options.gotenbergRoutes === 'on';
  return {
    sendError: errorSender(options.gotenbergRoutes),
    explainMissing: (path) => (path.startsWith('/forms/') ? (isOn ? NO_ENDPOINT : TURNED_OFF) : undefined),
    addRoutes: async (scope) => (isOn ? gotenbergRoutes(scope, services, options) : undefined),
    addOpenRoutes: (app) => (isOn ? gotenbergSystemRoutes(app, services.checkReady, options.version) : undefined),
  };
}
