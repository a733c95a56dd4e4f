import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { issueToken } from '#testing/cluster/issue-token';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { runFlotilla } from '../../run-flotilla.fixture.js';
import { installOlm } from '../clusters/handover/olm-cluster.fixture.js';

let folder = '';
let fleet: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-doctor-'));
  fleet = await startSimulatedFleet({ clusters: ['old', 'plain'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  installOlm(fleet.cluster('old'));
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  vi.stubEnv('FLOTILLA_CATALOG_POLLER_PORT', '0');
  return () => vi.unstubAllEnvs();
});

/** The token of an account without rights. */
function guestOf(cluster: string): Promise<string> {
  const { url, token } = fleet.cluster(cluster);
  fleet.cluster(cluster).create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'guest', namespace: 'default' },
  });
  return issueToken({ url, token }, 'default', 'guest');
}

type Item = Readonly<{ name: string; result: string; text: string; todo: string }>;
const itemsOf = (out: string): readonly Item[] => (JSON.parse(out) as { items: readonly Item[] }).items;

describe('flotilla doctor', () => {
  it('finds machine and cluster fit for a hub', async () => {
    await writeFile(join(folder, 'redis-server'), '', { mode: 0o755 });
    vi.stubEnv('FLOTILLA_REDIS_URL', '');
    vi.stubEnv('REDIS_URL', '');
    vi.stubEnv('PATH', folder);
    const { out, exit } = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']);
    expect(exit).toBe(0);
    expect(itemsOf(out).filter(({ result }) => result === 'failed')).toEqual([]);
    expect(itemsOf(out).find(({ name }) => name === 'cluster plain')?.text).toMatch(/^answers, Kubernetes v/);
  });

  it('names what a hub would meet: OLM at work, and a registry that does not answer', async () => {
    const { out } = await runFlotilla(['doctor', '-C', 'old', '-o', 'json']);
    const warnings = itemsOf(out).filter(({ result, name }) => result === 'warning' && name !== 'redis');
    expect(warnings.map(({ name }) => name)).toEqual(['cluster old', 'cluster old', 'catalog r.example/shelf:1']);
    expect(warnings[1]?.todo).toContain('flotilla assess -C old');
  });

  it('warns of what only this machine reaches: an API server and a registry on loopback', async () => {
    const source = (name: string, spec: object) => ({
      ...{
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'CatalogSource',
        metadata: { name, namespace: 'default' },
      },
      spec: { sourceType: 'grpc', ...spec },
    });
    const made = [
      source('here', { image: 'localhost:5000/shelf:1' }),
      source('server', { address: '127.0.0.1:50051' }),
    ];
    for (const one of made) fleet.cluster('plain').create(one);
    const warned = async () => {
      const { out } = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']);
      return itemsOf(out)
        .filter(({ result, name }) => result === 'warning' && name !== 'redis')
        .map(({ name, text, todo }) => `${name}: ${text} → ${todo}`);
    };
    const [cluster, ...catalogs] = await warned();
    expect(cluster).toMatch(
      /^cluster plain: its API server is at 127\.0\.0\.1:\d+, .* only on this machine → run the hub/,
    );
    const loopback = 'start it with FLOTILLA_OUTBOUND_ADDRESSES=public,private,loopback';
    expect(catalogs).toEqual([
      `catalog localhost:5000/shelf:1: address of localhost:5000 is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES) → if the hub may reach it, ${loopback}`,
      `catalog 127.0.0.1:50051: address of 127.0.0.1:50051 is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES) → if the hub may reach it, ${loopback}`,
    ]);
    vi.stubEnv('FLOTILLA_OUTBOUND_ADDRESSES', 'public,private,loopback');
    expect((await warned()).filter((text) => text.includes('not allowed'))).toEqual([]);
    vi.stubEnv('FLOTILLA_REGISTRY_HOSTS', 'r.example');
    expect(await warned()).toContainEqual(
      'catalog localhost:5000/shelf:1: host localhost:5000 is not allowed by the hub (FLOTILLA_REGISTRY_HOSTS) → if the hub may ask it, add it to FLOTILLA_REGISTRY_HOSTS of the hub',
    );
    const { apiVersion, kind } = source('', {});
    for (const { metadata } of made) fleet.cluster('plain').delete({ apiVersion, kind, ...metadata });
  });

  it('names a cluster whose clock differs from that of this machine, and what to do', async () => {
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 10 * 60_000);
    const { out } = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']).finally(() => clock.mockRestore());
    const found = itemsOf(out).find(({ name }) => name === 'clock of cluster plain');
    expect(found).toMatchObject({
      result: 'warning',
      text: 'the clock of this machine is 10 min behind that of its API server',
      todo: expect.stringContaining('NTP'),
    });
    const same = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']);
    expect(itemsOf(same.out).find(({ name }) => name === 'clock of cluster plain')?.result).toBe('ok');
  });

  it('says no where the login may do nothing, and which verb names the rights', async () => {
    const guest = fleet.kubeconfig().replaceAll(/token: .*/g, `token: ${await guestOf('plain')}`);
    await writeFile(join(folder, 'guest'), guest, { mode: 0o600 });
    const { out, exit } = await runFlotilla(['doctor', '--kubeconfig', join(folder, 'guest'), '-C', 'plain']);
    expect(exit).toBe(1);
    expect(out).toMatch(
      /^✖ cluster plain: this login is missing \d+ rights .* not manage the cluster\n {4}→ .*flotilla clusters check --kubeconfig \S+ --context plain$/m,
    );
  });

  it('warns of a login that never ends, and says how one ends', async () => {
    const claims = JSON.stringify({ sub: 'system:serviceaccount:flotilla-access:applier' });
    const token = fleet.cluster('plain').issueToken(`e30.${Buffer.from(claims).toString('base64url')}.x`);
    const file = join(folder, 'endless');
    await writeFile(file, fleet.kubeconfig().replaceAll(/token: .*/g, `token: ${token}`), { mode: 0o600 });
    const { out } = await runFlotilla(['doctor', '--kubeconfig', file, '-C', 'plain', '-o', 'json']);
    expect(itemsOf(out).find(({ text }) => text.startsWith('its login is a token without end'))).toMatchObject({
      ...{ name: 'cluster plain', result: 'warning' },
      todo: 'use a token that ends, so that the hub renews it: docs/access.md, "Logins that end"',
    });
    expect(out).not.toContain(token);
  });

  it('asks the Redis of REDIS_URL too', async () => {
    vi.stubEnv('FLOTILLA_REDIS_URL', '');
    vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:2');
    const { out } = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']);
    const redis = itemsOf(out).find(({ name }) => name === 'redis');
    expect([redis?.result, redis?.text]).toEqual(['failed', expect.stringContaining('127.0.0.1:2')]);
  });

  it('asks for no Redis where none is named', async () => {
    vi.stubEnv('FLOTILLA_REDIS_URL', '');
    vi.stubEnv('REDIS_URL', '');
    vi.stubEnv('PATH', folder);
    const { out } = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']);
    const redis = itemsOf(out).find(({ name }) => name === 'redis');
    expect([redis?.result, redis?.text]).toEqual(['ok', 'no Redis is named, and "flotilla up" needs none']);
  });

  it.each([
    { has: 'another program', answer: 'nothing', fails: true },
    { has: 'a hub', answer: JSON.stringify({ status: 'ok', details: {} }), fails: false },
  ])('says no to a port that $has has: $fails', async ({ answer, fails }) => {
    const server = createServer((_, response) => void response.end(answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('FLOTILLA_CATALOG_POLLER_PORT', String(port));
    const { out, exit } = await runFlotilla(['doctor', '-C', 'plain', '-o', 'json']);
    server.close();
    const found = itemsOf(out).find(({ name }) => name === 'port');
    expect(found?.text).toBe(fails ? `127.0.0.1:${port} is used by another program` : undefined);
    expect({ result: found?.result, exit }).toEqual(
      fails ? { result: 'failed', exit: 1 } : { result: undefined, exit: 0 },
    );
  });

  it('says no, and what to do, where Redis or a cluster does not answer', async () => {
    vi.stubEnv('FLOTILLA_REDIS_URL', 'redis://127.0.0.1:1');
    const dead = fleet.kubeconfig().replaceAll(/server: .*/g, 'server: https://127.0.0.1:1');
    await writeFile(join(folder, 'dead'), dead, { mode: 0o600 });
    const { out, exit } = await runFlotilla(['doctor', '--kubeconfig', join(folder, 'dead'), '-C', 'plain']);
    expect(exit).toBe(1);
    expect(out).toMatch(/^✖ redis: .*\n {4}→ .*FLOTILLA_REDIS_URL/m);
    expect(out).toMatch(/^✖ cluster plain: does not answer: .*\n {4}→ .*API server/m);
    expect(out).toContain('A hub would not work: 2 failed.');
  });
});
