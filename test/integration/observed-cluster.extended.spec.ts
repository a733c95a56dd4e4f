import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import {
  catalogSource,
  installPlan,
  operatorGroup,
  put,
  subscription,
} from '../../apps/cli/src/clusters/live-objects.fixture.js';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', name: 'install-1', namespace: 'team' };
const Contexts = z.looseObject({ contexts: z.array(z.looseObject({ context: z.looseObject({}) })) });
const RESYNC_MS = 1_000;

/** An operator that OLM has installed. */
const operator = (name: string) => ({
  ...CSV,
  metadata: { name, namespace: 'team' },
  spec: { displayName: name, version: '1.0.0', install: { strategy: 'deployment', spec: { deployments: [] } } },
  status: { phase: 'Succeeded', reason: 'InstallSucceeded' },
});

/** Returns the kubeconfig. Each context says that the hub only reports on its cluster. */
function observed(kubeconfig: string): string {
  const config = Contexts.parse(load(kubeconfig));
  const extensions = [{ name: 'flotilla', extension: { observed: true } }];
  const contexts = config.contexts.map((one) => ({ ...one, context: { ...one.context, extensions } }));
  return dump({ ...config, contexts });
}

describe('a cluster that is only observed, since OLM itself works there', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let environment: ServicesEnvironment;
  let poller: string;
  let applier: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-observed-'));
    fleet = await startSimulatedFleet({ clusters: ['east'] });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, observed(fleet.kubeconfig()), { mode: 0o600 });
    const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'olm' });
    if (client === undefined) throw new RangeError('a fleet without clusters');
    await serveCrds(client);
    await client.close();
    asOfOlm();
    fleet.cluster('east').requests.clear();
    const [applierPort, pollerPort] = await freePorts(2);
    [applier, poller] = [`http://127.0.0.1:${applierPort}`, `http://127.0.0.1:${pollerPort}`];
    environment = await startQuickEnvironment({
      kubeconfigs: [kubeconfig],
      settings: {
        FLOTILLA_RESYNC_INTERVAL: `${RESYNC_MS}ms`,
        FLOTILLA_APPLIER_PORT: String(applierPort),
        FLOTILLA_CATALOG_POLLER_PORT: String(pollerPort),
      },
    });
    vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
    return () => vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await environment?.stop();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Makes the objects of OLM there: its Deployment, a catalog, an installed operator, and a waiting plan. */
  function asOfOlm(): void {
    const east = fleet.cluster('east');
    for (const name of ['olm', 'team']) east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const labels = { app: 'olm-operator' };
    east.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'olm-operator', namespace: 'olm' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'olm', image: 'registry.example/olm:1' }] } },
      },
    });
    const status = { installPlanRef: { name: 'install-1' }, currentCSV: 'mill.v1.1.0', state: 'UpgradePending' };
    for (const object of [catalogSource(), operatorGroup(), subscription({ status })]) put(east, object);
    put(east, installPlan('install-1', false, 'RequiresApproval'));
    put(east, operator('mill.v1.0.0'));
  }
  const page = async (url: string) => (await fetch(url)).text();
  const detail = async (url: string, check: string) => {
    const health = (await (await fetch(`${url}/healthz`)).json()) as { details: Record<string, { detail: string }> };
    return health.details[check]?.detail;
  };

  it('is reported by health, metrics, status and explain, while nothing is written there, resyncs included', async () => {
    await expect.poll(() => page(`${poller}/metrics`), PATIENCE).toMatch(/^csv_succeeded\{[^}]*mill.v1.0.0[^}]*\} 1$/m);
    expect(await detail(poller, 'watches')).toBe('1 of 1 clusters are watched');
    for (const url of [poller, applier]) {
      await expect.poll(() => detail(url, 'membership'), PATIENCE).toBe('1 of 1 clusters take part, observed: east');
      expect(await detail(url, 'olm')).toBe('no cluster is left to OLM');
      expect(await page(`${url}/metrics`)).not.toMatch(/^flotilla_cluster_left_to_olm\{cluster="east"\} 1$/m);
    }
    expect((await runFlotilla(['status'])).out).toMatch(/^east\s/m);
    expect((await runFlotilla(['explain', 'installplan', 'install-1', '-n', 'team'])).out).toMatch(/approv/i);
    // Changes of objects bring no pass either: the poller has seen them once it counts the last one.
    const east = fleet.cluster('east');
    east.edit(PLAN, ({ metadata }) => {
      metadata.labels = { seen: 'yes' };
    });
    put(east, operator('pump.v1.0.0'));
    await expect.poll(() => page(`${poller}/metrics`), PATIENCE).toMatch(/^csv_succeeded\{[^}]*pump.v1.0.0[^}]*\} 1$/m);
    await expect.poll(() => page(`${applier}/metrics`), PATIENCE).toMatch(/queue="apply",state="waiting"\} 0$/m);
    expect(fleet.cluster('east').requests.writes()).toEqual([]);
  });

  it('takes an approval, and that alone is written', async () => {
    const approved = await runFlotilla(['approve', 'installplan', 'install-1', '-n', 'team']);
    expect(approved).toMatchObject({ exit: 0, out: expect.stringMatching(/^InstallPlan install-1 .* is approved\n/) });
    expect(fleet.cluster('east').get(PLAN)).toMatchObject({
      spec: { approved: true },
      status: { phase: 'RequiresApproval' },
    });
    const writes = () =>
      fleet
        .cluster('east')
        .requests.writes()
        .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
    expect(writes()).toEqual(['patch installplans install-1']);
  });
});
