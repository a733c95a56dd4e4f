import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import {
  configMapCatalog,
  csv,
  installPlan,
  operatorGroup,
  put,
  subscription,
} from '../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../run-flotilla.fixture.js';
import { installOlm } from '../clusters/handover/olm-cluster.fixture.js';

let folder = '';
let fleet: SimulatedFleet;

/** `old` runs OLM and has an operator that its catalog does not lead on from; `plain` has no OLM. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-assess-'));
  fleet = await startSimulatedFleet({ clusters: ['old', 'plain'] });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  const clients = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  installOlm(fleet.cluster('old'));
  for (const namespace of ['olm', 'team']) {
    fleet.cluster('plain').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
  const at = (installedCSV: string) =>
    subscription({ status: { installedCSV, currentCSV: installedCSV, state: 'AtLatestKnown' } });
  const plain = [...configMapCatalog(), operatorGroup(), csv('mill.v1.0.0', 'Succeeded'), at('mill.v1.0.0')];
  for (const object of plain) put(fleet.cluster('plain'), object);
  const failed = installPlan('install-1', true, 'Failed');
  for (const object of [...configMapCatalog(), csv('mill.v0.1.0', 'Succeeded'), at('mill.v0.1.0'), failed]) {
    put(fleet.cluster('old'), object);
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const assess = (...args: readonly string[]) => runFlotilla(['assess', ...args]);

describe('flotilla assess', () => {
  it('reports operators, how far behind they are, and whether each cluster can be handed over', async () => {
    const { out, exit } = await assess();
    expect(exit).toBe(0);
    expect(out).toMatch(/^2 operators of 1 package in 2 clusters$/m);
    expect(out).toMatch(/^1 at the newest version, 0 behind, 1 without an upgrade path to it$/m);
    expect(out).toMatch(/^plain +v\S+ +not at work +1 +1\/1 +0 +- +no OLM$/m);
    expect(out).toMatch(/^\d of 1 cluster that run OLM can be handed over now$/m);
    expect(out).toMatch(/^old +team +mill +mill\.v0\.1\.0 +mill\.v1\.0\.0 +no path +Automatic +- +no$/m);
    expect(out).toContain('no upgrade path to mill.v1.0.0: team/mill: the catalog has no upgrade from mill.v0.1.0');
  });

  it('has nothing to hand over where OLM is at work nowhere', async () => {
    const { out } = await assess('-C', 'plain');
    expect(out).toMatch(/^OLM runs in no cluster: a hub can begin at once$/m);
    const html = (await assess('-C', 'plain', '-o', 'html')).out;
    expect(html).toContain('no OLM');
    expect(html).not.toContain('✔ ready');
  });

  it('gives the same to programs, and changes nothing in a cluster', async () => {
    const before = JSON.stringify(fleet.cluster('old').stored());
    const { out, exit } = await assess('-C', 'old', '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'yes',
      away: [],
      totals: { clusters: 1, operators: 1, withoutWay: 1 },
      items: [
        {
          cluster: 'old',
          olm: ['Deployment olm/catalog-operator', 'Deployment olm/olm-operator'],
          operators: [{ package: 'mill', installed: 'mill.v0.1.0', newest: 'mill.v1.0.0', hops: [] }],
        },
      ],
    });
    expect(JSON.stringify(fleet.cluster('old').stored())).toBe(before);
  });

  it('prints one page of HTML that needs nothing from elsewhere', async () => {
    const { out, exit } = await assess('-o', 'html');
    expect(exit).toBe(0);
    expect(out).toMatch(/^<!doctype html>/);
    expect(out).not.toMatch(/<script|<link|src=|url\(|https?:/);
    expect(out).toContain('no upgrade path');
    expect(out).toContain('mill.v0.1.0');
    if (process.env['FLOTILLA_KEEP_PAGE']) await writeFile(process.env['FLOTILLA_KEEP_PAGE'], out);
  });
});
