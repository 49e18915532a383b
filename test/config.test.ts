/** The configuration gives each service the settings that it reads, so that no secret travels further than it must. */
import { expect, expectTypeOf, test } from 'vitest';
import { type Config, loadConfig } from '../src/config.ts';
import type { EngineSettings } from '../src/engine.ts';
import type { GotenbergRouteOptions } from '../src/gotenberg/routes.ts';
import type { ServerOptions } from '../src/http/server.ts';
import type { RenderLimits } from '../src/render/request/render-request.ts';
import type { ServicesSettings } from '../src/services.ts';
import type { DelivererSettings } from '../src/webhooks/deliverer.ts';

test.each([
  ['PLATEN_DATABASE_URL', 'postgres://user:secret@host/database', 'services.storage.databaseUrl'],
  ['PLATEN_BLOBS_URL', 's3://secret-bucket', 'services.storage.blobsUrl'],
  ['PLATEN_SECRET_KEY_FILE', '/run/secret', 'services.secretKeys.secretKeyFile'],
  ['PLATEN_TSA_URL', 'https://user:secret@tsa.example/', 'services.timeStamps.tsaUrl'],
  ['PLATEN_TRACES_URL', 'https://user:secret@traces.example/', 'tracing.tracesUrl'],
  ['PLATEN_GOTENBERG_KEY', 'pk_secret', 'gotenberg.gotenbergKey'],
  ['PLATEN_API_KEY', 'pk_secret', 'mcp.apiKey'],
])('%s reaches one service', (variable, secret, path) => {
  expect(pathsOf(loadConfig({ [variable]: secret }), secret)).toEqual([path]);
});

/** The members of the slices that the services do not name. */
type Unread<Given, Read> = { [K in keyof Read & keyof Given]: Exclude<keyof Given[K], keyof Read[K]> }[keyof Read & keyof Given];

test('a service gets no setting that it does not read', () => {
  expectTypeOf<Unread<Config['services'], ServicesSettings>>().toBeNever();
  expectTypeOf<keyof Config['services']>().toEqualTypeOf<keyof ServicesSettings>();
  expectTypeOf<Unread<Config['engine'], EngineSettings>>().toBeNever();
  expectTypeOf<keyof Config['engine']>().toEqualTypeOf<keyof EngineSettings>();
  expectTypeOf<
    Unread<Config, { http: ServerOptions; limits: RenderLimits; deliveries: DelivererSettings; gotenberg: GotenbergRouteOptions }>
  >().toBeNever();
});

/** Where the value is in the configuration. */
function pathsOf(config: object, value: string): string[] {
  return Object.entries(config).flatMap(([name, part]) => {
    if (part === value) return [name];
    return typeof part === 'object' ? pathsOf(part, value).map((path) => `${name}.${path}`) : [];
  });
}
