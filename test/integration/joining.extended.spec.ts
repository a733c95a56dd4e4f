import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OLM_DEPLOYMENTS } from '#core/cluster/joining/olm-signs';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { Refusal } from '#testing/cluster/objects/refusal';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { freePorts } from '#testing/control-plane/free-ports';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const CLUSTER_ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };
const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const CRD_NAME = 'catalogsources.operators.coreos.com';
const OLM_V1 = 'operators.coreos.com/v1';
const CRDS = readdirSync('k8s/crds').filter((name) => name.endsWith('.yaml'));
const RESYNC_MS = 1_000;
const LEFT_ALONE = /^200 left alone: .*taken: OLM itself runs there/;

const definition = (name: string): KubernetesObject =>
  KubernetesObject.parse(load(readFileSync(join('k8s/crds', name), 'utf8')));
const olmOperator = (replicas: number) => ({
  ...DEPLOYMENT,
  metadata: { name: 'olm-operator', namespace: 'olm' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'olm-operator' } },
    template: {
      metadata: { labels: { app: 'olm-operator' } },
      spec: { containers: [{ name: 'olm', image: 'registry.example/olm:1' }] },
    },
  },
});

describe('clusters that join', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let environment: ServicesEnvironment;
  let applier: string;
  let poller: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-joining-'));
    fleet = await startSimulatedFleet({ clusters: ['fresh', 'poor', 'taken', 'shared'], deploymentReadyAfterMs: 100 });
    fleet.cluster('poor').failNext({ verb: 'patch', resource: 'clusterroles' }, 403, 'Forbidden', 'not for you');
    fleet.cluster('poor').create(definition('olm.operatorframework.io_clusterextensions.yaml'));
    const refusal = new Refusal(403, 'Forbidden', 'not yours');
    fleet.cluster('poor').failAll({ verb: 'list', resource: 'clusterextensions' }, refusal);
    for (const name of ['taken', 'shared']) withOlm(name);
    fleet.cluster('shared').edit({ ...NAMESPACE, name: 'olm' }, ({ metadata }) => {
      metadata.annotations = { 'flotilla.dev/beside-olm': 'act' };
    });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
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
  });
  afterAll(async () => {
    await environment?.stop();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Makes a cluster with a user's OLM and a catalog. */
  function withOlm(name: string): void {
    const cluster = fleet.cluster(name);
    cluster.create({ ...NAMESPACE, metadata: { name: 'olm' } });
    cluster.create(olmOperator(1));
    cluster.create(definition('operators.coreos.com_catalogsources.yaml'));
  }
  const shelf = (name: string, source = 'shelf') => {
    const cluster = fleet.cluster(name);
    const spec = { sourceType: 'grpc', image: '127.0.0.1:1/nowhere/shelf:1' };
    cluster.create({ ...SOURCE, metadata: { name: source, namespace: 'olm' }, spec });
  };
  const statusOfShelf = (name: string, source = 'shelf') =>
    fleet.cluster(name).get({ ...SOURCE, name: source, namespace: 'olm' })?.['status'];
  /** The services have checked so often more whether OLM is at work in the cluster. */
  const checksForOlm = async (name: string, count: number) => {
    const { requests } = fleet.cluster(name);
    const checks = () => requests.filter(({ verb, resource }) => verb === 'list' && resource === 'deployments').length;
    // Each check lists the Deployments of several names.
    const enough = checks() + count * OLM_DEPLOYMENTS.length;
    await expect.poll(checks, PATIENCE).toBeGreaterThanOrEqual(enough);
  };
  const crdsIn = (name: string) => fleet.cluster(name).list(CRD).length;
  const groupIn = (name: string) =>
    fleet
      .cluster(name)
      .get({ apiVersion: OLM_V1, kind: 'OperatorGroup', name: 'global-operators', namespace: 'operators' });
  const detail = async (url: string, check: string) => {
    const answer = await fetch(`${url}/healthz`);
    const health = (await answer.json()) as { details: Record<string, { detail: string }> };
    return `${answer.status} ${health.details[check]?.detail}`;
  };

  it('get OLM’s definitions and what comes with them; after that a resync writes nothing', async () => {
    // A first try that fails is followed by the next after up to two minutes.
    const joined = () => crdsIn('fresh') === CRDS.length && groupIn('fresh') !== undefined;
    await expect.poll(joined, LONG_PATIENCE).toBe(true);
    const fresh = fleet.cluster('fresh');
    await expect
      .poll(() => fresh.get({ apiVersion: OLM_V1, kind: 'OLMConfig', name: 'cluster' }), PATIENCE)
      .toMatchObject({ spec: { features: { disableCopiedCSVs: false } } });
    expect(fresh.get({ ...CLUSTER_ROLE, name: 'aggregate-olm-view' })).toMatchObject({
      metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    });
    expect(fresh.get({ ...NAMESPACE, name: 'flotilla-system' })).toBeUndefined();
    const checks = () => fresh.requests.filter(({ path }) => path.endsWith(`/${CRD_NAME}`)).length;
    /** Returns the writes between now and the end of the next resync. */
    const writesOfResync = async () => {
      fresh.requests.clear();
      await expect.poll(checks, PATIENCE).toBeGreaterThan(0);
      return fresh.requests.writes();
    };
    // The new group and configuration are work of their own. It may take longer than the first resync.
    await expect.poll(writesOfResync, PATIENCE).toEqual([]);
  });

  it('get back what a user deleted', async () => {
    await expect.poll(() => groupIn('fresh') !== undefined, PATIENCE).toBe(true);
    fleet.cluster('fresh').delete({ ...CLUSTER_ROLE, name: 'aggregate-olm-edit' });
    const edit = () => fleet.cluster('fresh').get({ ...CLUSTER_ROLE, name: 'aggregate-olm-edit' });
    await expect.poll(edit, PATIENCE).toMatchObject({ rules: expect.arrayContaining([expect.anything()]) });
  });

  it('with a right missing, get the rest, and the service says what is missing', async () => {
    await expect.poll(() => groupIn('poor') !== undefined, PATIENCE).toBe(true);
    const log = environment.services.find(({ service }) => service === 'applier');
    const warned = async () => (await log?.logged())?.find((line) => line['cluster'] === 'poor' && line['refused']);
    await expect.poll(warned, PATIENCE).toMatchObject({
      refused: [{ object: 'ClusterRole aggregate-olm-edit', because: expect.stringContaining('not for you') }],
    });
  });

  it('that refuse a watch of ClusterExtensions are named, and the service is ready', async () => {
    await expect
      .poll(() => detail(poller, 'extensions'), PATIENCE)
      .toMatch(/^200 no sign of life from 1 of \d clusters: poor \(never seen: .*list ClusterExtension.*not yours/);
  });

  it('in which OLM itself works are not written to; the services are ready and say why', async () => {
    shelf('taken');
    await expect
      .poll(() => detail(applier, 'olm'), PATIENCE)
      .toMatch(/^200 left alone: taken: OLM itself runs there \(deployment olm\/olm-operator\)\. Nothing is written/);
    await expect.poll(() => detail(poller, 'olm'), PATIENCE).toMatch(/taken: OLM itself runs there/);
    await expect.poll(() => detail(poller, 'watches'), PATIENCE).toBe('200 3 of 3 clusters are watched');
    await checksForOlm('taken', 4);
    expect(fleet.cluster('taken').requests.writes()).toEqual([]);
    expect(await (await fetch(`${applier}/metrics`)).text()).toContain(
      'flotilla_cluster_left_to_olm{cluster="taken"} 1',
    );
  });

  it('are worked on beside OLM where their owner says so', async () => {
    shelf('shared');
    await expect.poll(() => statusOfShelf('shared'), PATIENCE).toMatchObject({ connectionState: expect.anything() });
    await expect.poll(() => crdsIn('shared'), PATIENCE).toBe(CRDS.length);
  });

  it('are taken over once OLM is scaled to nothing, and left again when it is back', async () => {
    const taken = fleet.cluster('taken');
    await expect.poll(() => detail(poller, 'olm'), PATIENCE).toMatch(LEFT_ALONE);
    taken.apply(olmOperator(0));
    await expect.poll(() => statusOfShelf('taken'), PATIENCE).toMatchObject({ connectionState: expect.anything() });
    await expect.poll(() => groupIn('taken') !== undefined, PATIENCE).toBe(true);

    // A write that was decided while Flotilla acted is still under way when OLM is found.
    const held = taken.holdNext({ verb: 'update', resource: 'catalogsources', subresource: 'status' });
    shelf('taken', 'second-shelf');
    await held.arrived;
    taken.apply(olmOperator(1));
    await expect
      .poll(() => detail(poller, 'olm'), PATIENCE)
      .toMatch(/about to be left alone: taken: waiting for writes to end: 1$/);
    // Decisions from now on are not sent, in no part of the poller.
    shelf('taken', 'third-shelf');
    held.release();
    await expect.poll(() => detail(poller, 'olm'), PATIENCE).toMatch(LEFT_ALONE);
    await expect.poll(() => detail(applier, 'olm'), PATIENCE).toMatch(LEFT_ALONE);
    taken.requests.clear();
    await expect.poll(() => taken.openWatches(), PATIENCE).toBe(0);
    await checksForOlm('taken', 4);
    expect(taken.requests.writes()).toEqual([]);
    expect(statusOfShelf('taken', 'third-shelf')).toBeUndefined();
  });
});
