/** The files of deploy/ parse, and name only settings, metrics and ports that exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeSettings } from '../../src/config.ts';

const FOLDER = new URL('../../deploy', import.meta.url).pathname;
const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
const files = paths.map((path) => [path.slice(FOLDER.length + 1), readFileSync(path, 'utf8')] as const);
const text = (name: string) => files.find(([each]) => each === name)?.[1] ?? '';

const settings = describeSettings();
const metrics = [
  ...readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8').matchAll(/^\| `(platen_\w+)`/gm),
].map(([, name]) => name ?? '');
/** Names that begin with `platen_` but are no metrics, such as the metric that prometheus-adapter derives. */
const NOT_METRICS = ['platen_queue_seconds'];

test('deploy/ contains the files that the guide mentions', () => {
  expect(files.map(([name]) => name).sort()).toEqual([
    'Dockerfile',
    'compose.yaml',
    'grafana/dashboards/platen.json',
    'grafana/provisioning/dashboards/platen.yaml',
    'grafana/provisioning/datasources/prometheus.yaml',
    'haproxy.cfg',
    'kubernetes/platen.yaml',
    'prometheus/alerts.yml',
    'prometheus/prometheus.yml',
    'seccomp.json',
    'systemd/platen.service',
  ]);
  expect(metrics.length).toBeGreaterThan(20);
});

test.each(files.filter(([name]) => /\.ya?ml$/.test(name)))('%s is valid YAML', (_name, content) => {
  for (const document of parseAllDocuments(content, { merge: true })) {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    expect(document.toJS()).toBeTypeOf('object');
  }
});

test.each(files.filter(([name]) => name.endsWith('.json')))('%s is valid JSON', (_name, content) => {
  expect(JSON.parse(content)).toBeTypeOf('object');
});

test.each(files)('%s names settings that exist', (_name, content) => {
  const settingNames = settings.map(({ env }) => env);
  const named = [...content.matchAll(/\bPLATEN_[A-Z_]+/g)].map(([name]) => name);
  expect(named.filter((name) => !settingNames.includes(name))).toEqual([]);
});

test.each(files)('%s names metrics that exist', (_name, content) => {
  const named = [...content.matchAll(/\bplaten_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(named.filter((name) => !metrics.includes(name) && !NOT_METRICS.includes(name))).toEqual([]);
});

test('every probe of a node uses the default port', () => {
  const port = settings.find(({ env }) => env === 'PLATEN_PORT')?.fallback ?? '';
  expect(text('Dockerfile')).toContain(`EXPOSE ${port}`);
  expect(text('Dockerfile')).toContain(`PLATEN_PORT=${port}`);
  const ports = [text('haproxy.cfg'), text('prometheus/prometheus.yml')].flatMap((content) => [
    ...content.matchAll(/node\d:(\d+)/g),
  ]);
  expect(ports.map(([, each]) => each)).toEqual(Array(4).fill(port));
  expect(text('kubernetes/platen.yaml')).toContain(`containerPort: ${port}`);
});

test('a node has more time to stop than its renders have to finish', () => {
  const drain = Number(settings.find(({ env }) => env === 'PLATEN_DRAIN_TIMEOUT_SECONDS')?.fallback);
  const limits = [
    /stop_grace_period: (\d+)s/.exec(text('compose.yaml')),
    /terminationGracePeriodSeconds: (\d+)/.exec(text('kubernetes/platen.yaml')),
    /TimeoutStopSec=(\d+)/.exec(text('systemd/platen.service')),
  ];
  for (const limit of limits) expect(Number(limit?.[1])).toBeGreaterThan(drain + 10);
});

test('the seccomp profile allows the sandbox of Chromium, and forbids loading modules and tracing other processes', () => {
  const profile = JSON.parse(text('seccomp.json')) as {
    defaultAction: string;
    syscalls: Array<{ names: string[]; action: string }>;
  };
  expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(profile.syscalls.map(({ action }) => action)).toEqual(['SCMP_ACT_ALLOW']);
  const names = profile.syscalls.flatMap((rule) => rule.names);
  expect(names).toEqual(expect.arrayContaining(['clone', 'clone3', 'unshare', 'chroot', 'capset', 'seccomp']));
  for (const name of ['mount', 'ptrace', 'init_module', 'kexec_load', 'bpf', 'keyctl', 'setns', 'pivot_root', 'reboot'])
    expect(names).not.toContain(name);
});
