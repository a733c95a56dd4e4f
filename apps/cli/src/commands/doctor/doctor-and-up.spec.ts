import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const KUBECONFIG = (server: string) => `apiVersion: v1
kind: Config
current-context: one
clusters: [{name: one, cluster: {server: '${server}'}}]
users: [{name: one, user: {}}]
contexts: [{name: one, context: {cluster: one, user: one}}]
`;
const BARE = 'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n';

let folder = '';
let other: Server;
const at = (name: string) => join(folder, name);
const takenPort = () => String((other.address() as AddressInfo).port);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-agree-'));
  await writeFile(at('good'), KUBECONFIG('https://127.0.0.1:1'));
  await writeFile(at('broken'), 'clusters: [');
  await writeFile(at('bare'), BARE);
  other = createServer((_, response) => void response.end('no hub')).listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(async () => {
  other.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
afterEach(() => vi.unstubAllEnvs());

/**
 * An environment in which `up` does not start, the words that both say of it, and arguments of both.
 * `doctor-and-up.extended.spec.ts` has others.
 */
type Row = Readonly<{ wrong: string; env: () => Readonly<Record<string, string>>; says: RegExp; args?: string[] }>;

const ROWS: readonly Row[] = [
  {
    wrong: 'a port that another program has',
    env: () => ({ FLOTILLA_CATALOG_POLLER_PORT: takenPort() }),
    says: /127\.0\.0\.1:\d+ is used by another program/,
  },
  {
    wrong: 'an address that is none of this machine',
    env: () => ({ FLOTILLA_BIND_ADDRESS: '192.0.2.1' }),
    says: /192\.0\.2\.1:\d+ is not an address of this machine/,
  },
  {
    wrong: 'a folder for content below a file',
    env: () => ({ FLOTILLA_CONTENT_DIR: at('good/content') }),
    says: /not a directory/,
  },
  {
    wrong: 'no kubeconfig',
    env: () => ({ FLOTILLA_KUBECONFIG: '', KUBECONFIG: '', HOME: at('nobody') }),
    says: /no kubeconfig was found/,
  },
  {
    wrong: 'a kubeconfig that is not there',
    env: () => ({ FLOTILLA_KUBECONFIG: at('nowhere') }),
    says: /open .*nowhere: no such file or directory/,
  },
  {
    wrong: 'a kubeconfig of broken YAML',
    env: () => ({ FLOTILLA_KUBECONFIG: at('broken') }),
    says: /broken is not a kubeconfig/,
  },
  {
    wrong: 'a kubeconfig without contexts',
    env: () => ({ FLOTILLA_KUBECONFIG: at('bare') }),
    says: /no context in .*bare|no cluster: name a kubeconfig/,
  },
  {
    wrong: 'a context that is not there',
    env: () => ({}),
    args: ['--context', 'south'],
    says: /there is no context "south"/,
  },
  {
    wrong: 'a setting that cannot be used',
    env: () => ({ FLOTILLA_RESYNC_INTERVAL: 'soon' }),
    says: /FLOTILLA_RESYNC_INTERVAL: "soon" is not a duration/,
  },
];

describe('flotilla doctor says no where flotilla up does not start, with the same reason', () => {
  it.each(ROWS)('$wrong', async ({ env, says, args = [] }) => {
    const place = {
      FLOTILLA_KUBECONFIG: at('good'),
      FLOTILLA_CLUSTERS_FILE: at('joined'),
      FLOTILLA_CONTENT_DIR: at('content'),
      FLOTILLA_HUB_KEY_FILE: '',
      FLOTILLA_CATALOG_POLLER_PORT: '0',
      FLOTILLA_REDIS_URL: '',
      REDIS_URL: '',
      HOME: folder,
      XDG_CONFIG_HOME: at('config'),
      ...env(),
    };
    for (const [name, value] of Object.entries(place)) vi.stubEnv(name, value);
    const doctor = await runFlotilla(['doctor', ...args]);
    const up = await runFlotilla(['up', '--no-console', ...args]);
    expect(up.err).toMatch(says);
    expect(up.exit).toBeGreaterThan(0);
    expect(`${doctor.out}${doctor.err}`).toMatch(says);
    expect(doctor.exit).toBeGreaterThan(0);
  });
});
