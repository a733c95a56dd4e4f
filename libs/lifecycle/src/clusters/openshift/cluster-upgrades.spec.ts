import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ManagementStatus } from '#core/cluster/joining/management-status';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWNER_KIND_LABEL, OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { ManualClock } from '#platform/clock/manual-clock';
import { joinCluster } from '#platform/joining/join-cluster';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { fixedCredentials } from '#platform/kube/transport/credentials';
import { HttpTransport } from '#platform/kube/transport/http-transport';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import { ClusterUpgrades } from './cluster-upgrades.js';

const CONFIG = 'config.openshift.io/v1';
const OPERATOR = { apiVersion: CONFIG, kind: 'ClusterOperator' };
const LOOK_MS = 5 * 60_000;
const NOW = '2026-01-01T00:00:00Z';

let fleet: SimulatedFleet;
let client: KubeClient;
let clock: ManualClock;
let metrics: Metrics;
let upgrades: ClusterUpgrades;
let part: ClusterPart;

const cluster = () => fleet.cluster('harbour');
const openShiftKind = (kind: string): KubernetesObject => {
  const plural = `${kind.toLowerCase()}s`;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return KubernetesObject.parse({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.config.openshift.io` },
    spec: {
      group: 'config.openshift.io',
      scope: 'Cluster',
      names: { kind, plural },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: open }, subresources: { status: {} } },
      ],
    },
  });
};

beforeEach(async () => {
  fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
  client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'test' });
  clock = new ManualClock();
  metrics = new Metrics({ processMetrics: false });
});
afterEach(async () => {
  await part?.stop();
  await client.close();
  await fleet.stop();
});

async function openShift(release: string): Promise<void> {
  for (const kind of ['ClusterVersion', 'ClusterOperator']) cluster().create(openShiftKind(kind));
  for (const file of ['operators.coreos.com_clusterserviceversions', 'olm.operatorframework.io_clusterobjectsets']) {
    cluster().create(KubernetesObject.parse(load(await readFile(`k8s/crds/${file}.yaml`, 'utf8'))));
  }
  await vi.waitFor(async () => expect(await client.serves(OPERATOR)).toBe(true), PATIENCE);
  cluster().create({ apiVersion: CONFIG, kind: 'ClusterVersion', metadata: { name: 'version' } });
  cluster().edit(
    { apiVersion: CONFIG, kind: 'ClusterVersion', name: 'version' },
    (version) => {
      version['status'] = { desired: { version: release } };
    },
    'status',
  );
  for (const name of ['operator-lifecycle-manager', 'olm']) cluster().create({ ...OPERATOR, metadata: { name } });
}

function install(name: string, max: string): void {
  const properties = [{ type: 'olm.maxOpenShiftVersion', value: max }];
  cluster().create({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name,
      namespace: 'default',
      annotations: { 'operatorframework.io/properties': JSON.stringify({ properties }) },
    },
    spec: { displayName: name, install: { strategy: 'deployment', spec: { deployments: [] } } },
  });
}

/** A revision of a ClusterExtension; one that has not succeeded is not what is installed. */
function revision(extension: string, number: number, max: string, succeeded = true): void {
  const ref = { ...CLUSTER_OBJECT_SET_API, name: `${extension}-${number}` };
  const properties = [{ type: 'olm.maxOpenShiftVersion', value: max }];
  const { name, ...kind } = ref;
  cluster().create({
    ...kind,
    metadata: {
      name,
      labels: { [OWNER_KIND_LABEL]: 'ClusterExtension', [OWNER_NAME_LABEL]: extension },
      annotations: { 'olm.properties': JSON.stringify(properties) },
    },
    spec: { lifecycleState: 'Active', collisionProtection: 'Prevent', revision: number },
  });
  const status = succeeded ? 'True' : 'False';
  const condition = { type: 'Succeeded', status, reason: 'Succeeded', message: '', lastTransitionTime: NOW };
  cluster().edit(
    ref,
    (set) => {
      set['status'] = { conditions: [condition] };
    },
    'status',
  );
}

const begin = (standing: ManagementStatus = { acts: true, signs: [] }) => {
  const hub = { clock, log: silentLog, metrics };
  upgrades = new ClusterUpgrades(hub, { status: async () => standing });
  part = upgrades.partOf(client);
  void part.start();
};
const condition = (name = 'operator-lifecycle-manager') => {
  const status = cluster().get({ ...OPERATOR, name })?.['status'];
  return JSON.parse(JSON.stringify(status ?? {})).conditions?.[0];
};
const looked = async (until: () => unknown | Promise<unknown>) => {
  for (const { run } of part.resyncs()) run();
  await clock.advance(LOOK_MS);
  await vi.waitFor(async () => expect(await until()).toBeTruthy(), PATIENCE);
};
const blockers = async () =>
  /flotilla_openshift_upgrade_blockers\{.*\} (\d+)/.exec(await metrics.registry.metrics())?.[1];

describe('the next minor version of an OpenShift cluster', () => {
  it('is blocked by an operator that does not run on it, and free once that is gone', async () => {
    await openShift('4.18.3');
    install('lamp.v1', '4.18');
    install('moon.v1', '4.19');
    begin();
    await looked(() => condition()?.status === 'False');
    expect(condition()).toMatchObject({
      type: 'Upgradeable',
      reason: 'IncompatibleOperatorsInstalled',
      message: expect.stringMatching(/4\.19\.0:\n- maximum supported OCP version for default\/lamp\.v1 is 4\.18$/),
    });
    expect(await blockers()).toBe('1');
    expect((await upgrades.check.check()).detail).toMatch(/^harbour: .*default\/lamp\.v1 is 4\.18$/);
    cluster().delete({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      name: 'lamp.v1',
      namespace: 'default',
    });
    await looked(() => condition()?.status === 'True');
    expect([await blockers(), (await upgrades.check.check()).detail]).toEqual([
      '0',
      'no operator blocks an upgrade of OpenShift',
    ]);
  });

  it('is blocked and freed a second after an operator has come or gone, without waiting for the timer', async () => {
    await openShift('4.18.3');
    begin();
    const soon = (status: string) =>
      vi.waitFor(async () => {
        await clock.advance(1_000);
        expect(condition()?.status).toBe(status);
      }, PATIENCE);
    await soon('True');
    const before = clock.now().getTime();
    install('lamp.v1', '4.18');
    await soon('False');
    const csv = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', namespace: 'default' };
    cluster().delete({ ...csv, name: 'lamp.v1' });
    await soon('True');
    expect(clock.now().getTime() - before, 'long before the timer').toBeLessThan(LOOK_MS);
  });

  it('is blocked by what a ClusterExtension has installed, at the ClusterOperator of OLM v1', async () => {
    await openShift('4.18.3');
    revision('lamp', 1, '4.18');
    revision('lamp', 2, '4.19', false);
    revision('moon', 1, '4.19');
    begin();
    await looked(() => condition('olm')?.status === 'False');
    expect(condition('olm')).toMatchObject({
      reason: 'IncompatibleOperatorsInstalled',
      message:
        'ClusterExtensions blocking minor version upgrades to 4.19.0:\n- maximum supported OCP version for lamp is 4.18',
    });
    expect([condition()?.status, await blockers()]).toEqual(['True', '1']);
    install('torch.v1', '4.17');
    await looked(async () => (await blockers()) === '2');
    expect((await upgrades.check.check()).detail).toMatch(
      /default\/torch.v1 is 4\.17; ClusterExtensions .* lamp is 4\.18$/,
    );
    const succeeded = { type: 'Succeeded', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: NOW };
    cluster().edit(
      { ...CLUSTER_OBJECT_SET_API, name: 'lamp-2' },
      (set) => {
        set['status'] = { conditions: [succeeded] };
      },
      'status',
    );
    await looked(() => condition('olm')?.status === 'True');
  });

  it('is reported at the hub alone where OLM itself works, too', async () => {
    await openShift('4.18.3');
    install('lamp.v1', '4.17');
    begin({ acts: true, signs: [{ kind: 'deployment', namespace: 'olm', name: 'olm-operator' }] });
    await looked(async () => (await blockers()) === '1');
    expect(condition()).toBeUndefined();
  });

  it('is blocked, to be sure, while the version of the cluster is not known', async () => {
    await openShift('unknown');
    begin();
    await looked(() => condition()?.status === 'False');
    expect(condition()?.reason).toBe('ErrorCheckingOperatorCompatibility');
  });

  it('is nothing that other clusters are asked about', async () => {
    begin();
    await clock.advance(LOOK_MS);
    await vi.waitFor(() => expect(cluster().requests.length).toBeGreaterThan(0), PATIENCE);
    expect(cluster().requests.filter(({ verb }) => verb === 'list')).toEqual([]);
  });

  it('is found out of other clusters at a resync, and not between two of them', async () => {
    begin();
    await clock.advance(LOOK_MS);
    await vi.waitFor(() => expect(cluster().requests.length).toBeGreaterThan(0), PATIENCE);
    // Longer than discovery trusts what it knows.
    await clock.advance(10 * LOOK_MS);
    const before = cluster().requests.length;
    await clock.advance(10 * LOOK_MS);
    expect(cluster().requests.length).toBe(before);
    await openShift('4.18.3');
    install('lamp.v1', '4.18');
    for (const { run } of part.resyncs()) run();
    await looked(() => condition()?.status === 'False');
  });

  it('joining gives OpenShift its own names', async () => {
    await openShift('4.18.3');
    const { installed } = await joinCluster(client);
    expect(installed).toContain('OperatorGroup openshift-operators/global-operators');
    expect(installed).toContain('Namespace openshift-operators');
  });
});
