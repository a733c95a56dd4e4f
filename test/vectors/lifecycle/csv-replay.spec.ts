import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '#core/api/cluster-service-version';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { CLUSTER_SCOPED, type Digest, ReplayCluster } from './replay-cluster.js';

type Dump = Record<string, Record<string, KubernetesObject>>;
type Recording = Readonly<{
  scenario: string;
  inputs: KubernetesObject[];
  plans: Record<string, KubernetesObject[]>;
  timeline: (Digest & { deleting?: boolean })[];
  events: { object: string; type: string; reason: string; message: string }[];
  checkpoints: Record<string, Dump>;
  final: Dump;
}>;

const recorded = (scenario: string): Recording =>
  JSON.parse(readFileSync(new URL(`./csv/${scenario}.json`, import.meta.url), 'utf8')) as Recording;

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';

/** Recordings mask what differs from run to run, and so do we: uids, versions, times, our own spec hash. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (!isObject(value)) return value;
  const dropped = new Set(['uid', 'uuid', 'resourceVersion', 'generation', 'creationTimestamp', 'cleanup']);
  const entries = Object.entries(value).filter(([key, inner]) => !dropped.has(key) && inner !== undefined);
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (/Time$|^lastUpdated$/.test(key)) return [key, '<time>'];
      if (key === 'olm.deployment-spec-hash') return [key, '<hash>'];
      return [key.replace(/^olm\.operatorgroup\.uid\/.*/, 'olm.operatorgroup.uid/<uid>'), masked(inner)];
    }),
  );
}

const line = ({ phase, reason, message }: Digest): string => `${phase}/${reason}: ${message}`;

/** Entries whose presence is a matter of timing in the recordings themselves. */
const timing = /^Pending\/RequirementsNotMet|^Installing\/InstallWaiting/;
const hashes = /hash=[0-9A-Za-z]+/g;

/** The phases a CSV went through, without what only timing decides. */
const phasesOf = (timeline: readonly Digest[], object: string): string[] =>
  timeline
    .filter((one) => one.object === object && one.phase !== undefined && !one.deleted)
    .map((one) => line(one).replace(hashes, 'hash=<hash>'))
    .filter((text, index, all) => !timing.test(text) && all[index - 1] !== text);

/** Puts the recorded inputs and the manifests of one plan into a cluster, CRDs first as the plan does. */
function replayOf(recording: Recording, ...kinds: string[]): ReplayCluster {
  const cluster = new ReplayCluster();
  for (const input of recording.inputs.filter(({ kind }) => kinds.includes(kind))) cluster.seed(input);
  cluster.settle();
  return cluster;
}

const USUAL = ['Namespace', 'OperatorGroup', 'Subscription'];

const here = (kind: string, namespace: string) => (CLUSTER_SCOPED.has(kind) ? {} : { namespace });

function runPlan(cluster: ReplayCluster, recording: Recording, plan: string): void {
  const namespace = plan.split('/')[0] ?? '';
  const csvs = (recording.plans[plan] ?? []).filter(({ kind }) => kind === 'ClusterServiceVersion');
  for (const manifest of recording.plans[plan] ?? []) {
    const labels = { ...manifest.metadata.labels, 'olm.managed': 'true' };
    const alongside = csvs.map((csv) => [
      `operatorframework.io/installed-alongside-${csv.metadata.name}`,
      `${namespace}/${csv.metadata.name}`,
    ]);
    const annotations =
      manifest.kind === 'CustomResourceDefinition'
        ? { ...manifest.metadata.annotations, ...Object.fromEntries(alongside) }
        : manifest.metadata.annotations;
    const object = { ...manifest, metadata: { ...here(manifest.kind, namespace), ...manifest.metadata, labels, ...(annotations && { annotations }) } };
    const live = cluster.get(object.kind, namespace, object.metadata.name ?? '');
    if (live === undefined) cluster.seed(object);
    else overwrite(cluster, live, object);
  }
  for (const subscription of cluster.list('Subscription', namespace)) {
    const installedCSV = csvs[0]?.metadata.name;
    cluster.patch({ apiVersion: 'v1', kind: 'Subscription', name: subscription.metadata.name ?? '', namespace }, {
      status: { installedCSV },
    });
  }
}

/** What a second plan does to objects that are there: new annotations, one more owner. */
function overwrite(cluster: ReplayCluster, live: KubernetesObject, object: KubernetesObject): void {
  const owners = (object.metadata.ownerReferences ?? []).map((owner) => ({
    ...owner,
    uid: cluster.get(owner.kind, object.metadata.namespace ?? '', owner.name)?.metadata.uid ?? '',
  }));
  const ownerReferences = [...(live.metadata.ownerReferences ?? []), ...owners];
  const annotations = { ...live.metadata.annotations, ...object.metadata.annotations };
  cluster.perform([
    { do: 'update', object: { ...live, metadata: { ...live.metadata, annotations, ...(owners.length && { ownerReferences }) } } },
  ]);
}

/** Every field the recording names must be there and equal, for all objects of the kind in the recorded namespaces. */
function expectKind(cluster: ReplayCluster, dump: Dump, kind: string, view: (object: KubernetesObject) => unknown): void {
  const expected = Object.entries(dump[kind] ?? {}).map(([key, object]) => [key, masked(view(object))] as const);
  const actual = expected.map(([key]) => {
    const [namespace, name] = key.includes('/') ? key.split('/') : ['', key];
    const found = cluster.get(kind, namespace ?? '', name ?? '');
    return [key, found === undefined ? undefined : masked(view(found))] as const;
  });
  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
}

const labelsAndOwners = ({ metadata }: KubernetesObject) => ({
  labels: metadata.labels,
  owners: metadata.ownerReferences,
});
const rbac = (object: KubernetesObject) => ({
  ...labelsAndOwners(object),
  roleRef: object['roleRef'],
  subjects: object['subjects'],
});
/** Rules of aggregated roles are filled in by the API server, which the replay has not. */
const rules = (object: KubernetesObject) => ({
  ...rbac(object),
  aggregationRule: object['aggregationRule'],
  ...(object['aggregationRule'] === undefined ? { rules: object['rules'] } : {}),
});
const csvMetadata = ({ metadata }: KubernetesObject) => ({
  annotations: metadata.annotations,
  labels: metadata.labels,
  finalizers: metadata.finalizers,
});
const groupView = ({ metadata, ...object }: KubernetesObject) => ({
  annotations: metadata.annotations,
  status: object['status'],
});
const verdict = (object: KubernetesObject) => {
  const { phase, reason, message } = (object as ClusterServiceVersion).status ?? {};
  return { phase, reason, message: message?.replace(hashes, 'hash=<hash>') };
};

const requirementStatus = (object: KubernetesObject) => (object as ClusterServiceVersion).status?.requirementStatus;

const SAME_IN_THE_END: readonly (readonly [string, (object: KubernetesObject) => unknown])[] = [
  ['ClusterServiceVersion', verdict],
  ['ClusterServiceVersion', csvMetadata],
  ['OperatorGroup', groupView],
  ['OperatorCondition', (object) => ({ owners: object.metadata.ownerReferences, spec: object['spec'], status: object['status'] })],
  ['Role', rules],
  ['RoleBinding', rbac],
  ['ClusterRole', rules],
  ['ClusterRoleBinding', rbac],
  ['Namespace', ({ metadata }) => ({ labels: Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('olm.')).map((key) => key.replace(/\/.*/, '')) })],
  ['Deployment', labelsAndOwners],
];

const MADE_BY_US = ['Deployment', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'OperatorCondition'];

const keyOf = ({ kind, metadata }: KubernetesObject): string =>
  CLUSTER_SCOPED.has(kind) ? `${metadata.name}` : `${metadata.namespace}/${metadata.name}`;

/** Each field of `wanted` as it is in `whole`: the API server adds defaults, but changes nothing. */
function within(wanted: unknown, whole: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(whole)) return whole.map((one, index) => within(wanted[index], one));
  if (!isObject(wanted) || !isObject(whole) || Array.isArray(whole)) return whole;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, within(wanted[key], whole[key])]));
}

function expectDeploymentSpecs(cluster: ReplayCluster, dump: Dump): void {
  for (const [key, recordedOne] of Object.entries(dump['Deployment'] ?? {})) {
    const [namespace = '', name = ''] = key.split('/');
    const spec = cluster.get('Deployment', namespace, name)?.['spec'] as Record<string, unknown>;
    // An empty strategy is what the API server fills in; the rest of what we ask for comes back as it was.
    const { strategy: _strategy, ...asked } = spec;
    expect(within(asked, recordedOne['spec']), key).toEqual(asked);
  }
}

/** Compares final state, phases in order and events of every CSV the recording knows. */
function expectRecorded(cluster: ReplayCluster, recording: Recording, except: readonly string[] = []): void {
  for (const [kind, view] of SAME_IN_THE_END) {
    if (!except.includes(kind)) expectKind(cluster, recording.final, kind, view);
  }
  for (const kind of MADE_BY_US.filter((one) => !except.includes(one))) {
    const names = cluster.list(kind).map(keyOf);
    expect(names.toSorted(), kind).toEqual(Object.keys(recording.final[kind] ?? {}).toSorted());
  }
  if (!except.includes('Deployment')) expectDeploymentSpecs(cluster, recording.final);
  const csvs = [...new Set(recording.timeline.map(({ object }) => object))];
  for (const csv of csvs.filter((object) => !recording.timeline.some((one) => one.object === object && one.reason === 'Copied'))) {
    expect(phasesOf(cluster.timeline, csv), csv).toEqual(phasesOf(recording.timeline, csv));
  }
}

describe('scenarios recorded from OLM, replayed on the steps', () => {
  it.each([
    { scenario: 'install-automatic', because: 'the plain way to Succeeded' },
    { scenario: 'install-manual', because: 'CRD, service account and Role found by their hash labels' },
    { scenario: 'group-all-namespaces', because: 'rights lifted to the cluster, copies everywhere' },
    { scenario: 'group-single-namespace', because: 'rights and copy in the one target, cluster rules evaluated' },
    { scenario: 'group-multi-explicit', because: 'own namespace and one other' },
    { scenario: 'unsupported-install-mode', because: 'fails before anything is looked at' },
  ])('$scenario: $because', ({ scenario }) => {
    const recording = recorded(scenario);
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, `${scenario}/1`);
    cluster.settle();
    expectRecorded(cluster, recording);
    expectKind(cluster, recording.final, 'ClusterServiceVersion', requirementStatus);
    expect(cluster.round(), 'a further round writes nothing').toBe(false);
  });

  it.each([
    { scenario: 'upgrade-replaces', because: 'the old CSV stays until the new one has Succeeded' },
    { scenario: 'upgrade-skiprange', because: 'a jump over versions is a replacement like any other' },
  ])('$scenario: $because', ({ scenario }) => {
    const recording = recorded(scenario);
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, `${scenario}/1`);
    cluster.settle();
    runPlan(cluster, recording, `${scenario}/2`);
    cluster.settle();
    expectRecorded(cluster, recording);
    expect(cluster.timeline.filter(({ deleted }) => deleted).map(({ object }) => object)).toEqual(
      recording.timeline.filter(({ deleted }) => deleted).map(({ object }) => object),
    );
  });

  it('no-operatorgroup: fails for want of a group, goes on when one appears', () => {
    const recording = recorded('no-operatorgroup');
    const cluster = replayOf(recording, 'Namespace', 'Subscription');
    runPlan(cluster, recording, 'no-operatorgroup/1');
    cluster.settle();
    const failed = 'Failed/NoOperatorGroup: csv in namespace with no operatorgroups';
    expect(cluster.timeline.at(-1)).toMatchObject({ phase: 'Failed', reason: 'NoOperatorGroup' });
    for (const input of recording.inputs.filter(({ kind }) => kind === 'OperatorGroup')) cluster.seed(input);
    cluster.settle();
    const csv = 'ClusterServiceVersion no-operatorgroup/lighthouse-operator.v1.0.0';
    const repaired = 'Pending/RequirementsUnknown: InstallModes now support target namespaces';
    const [, ...rest] = phasesOf(recording.timeline, csv);
    expect(phasesOf(cluster.timeline, csv)).toEqual([failed, repaired, ...rest]);
    for (const [kind, view] of SAME_IN_THE_END) expectKind(cluster, recording.final, kind, view);
  });

  it('csv-requirement-missing: says what is missing, as of its first look', () => {
    const recording = recorded('csv-requirement-missing');
    const cluster = replayOf(recording, 'Namespace', 'OperatorGroup', 'ClusterServiceVersion');
    const same = (dump: Dump | undefined) => {
      expectKind(cluster, dump ?? {}, 'ClusterServiceVersion', verdict);
      expectKind(cluster, dump ?? {}, 'ClusterServiceVersion', requirementStatus);
    };
    same(recording.checkpoints['nothing-there']);
    for (const input of recording.inputs.filter(({ kind }) => kind === 'CustomResourceDefinition')) cluster.seed(input);
    cluster.settle();
    same(recording.checkpoints['crds-there']);
    for (const input of recording.inputs.filter(({ kind }) => kind === 'ServiceAccount')) cluster.seed(input);
    cluster.settle();
    same(recording.checkpoints['service-account-there']);
  });

  it('progress-deadline: a Deployment over its deadline fails the CSV for good', () => {
    const recording = recorded('progress-deadline');
    const cluster = replayOf(recording, ...USUAL);
    cluster.deadlineExceeded = true;
    runPlan(cluster, recording, 'progress-deadline/1');
    cluster.settle();
    expectRecorded(cluster, recording);
  });

  it('subscription-config: the config reaches every container, a change of it rolls the operator again', () => {
    const recording = recorded('subscription-config');
    const cluster = replayOf(recording, ...USUAL);
    const plan = 'subscription-config/1';
    runPlan(cluster, recording, plan);
    // OLM knows the installed CSV of a Subscription only later: the first Deployments come without config.
    const ref = { apiVersion: 'v1', kind: 'Subscription', name: 'harbor', namespace: 'subscription-config' };
    cluster.patch(ref, { status: { installedCSV: null } });
    cluster.settle();
    cluster.patch(ref, { status: { installedCSV: 'harbor-operator.v1.0.0' } });
    cluster.settle();
    expectDeploymentSpecs(cluster, recording.checkpoints['installed'] ?? {});
    cluster.patch(ref, { spec: { config: { env: [{ name: 'MODE', value: 'changed' }] } } });
    cluster.settle();
    expectRecorded(cluster, recording);
  });

  it('operatorcondition-blocks: the new CSV waits while the old one says it is busy', () => {
    const recording = recorded('operatorcondition-blocks');
    const namespace = 'operatorcondition-blocks';
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, `${namespace}/1`);
    cluster.settle();
    const ref = { apiVersion: 'v1', kind: 'OperatorCondition', name: 'tugboat-operator.v1.0.0', namespace };
    const said = (status: string, reason: string, message: string) => ({
      spec: { conditions: [{ type: 'Upgradeable', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    });
    cluster.patch(ref, said('False', 'Busy', 'voyage under way'));
    cluster.settle();
    runPlan(cluster, recording, `${namespace}/2`);
    cluster.settle();
    const blocked = recording.checkpoints['blocked'] ?? {};
    expectKind(cluster, blocked, 'ClusterServiceVersion', verdict);
    expectKind(cluster, blocked, 'OperatorCondition', (object) => object['status']);
    cluster.patch(ref, said('True', 'Idle', 'in port'));
    cluster.settle();
    expectRecorded(cluster, recording);
  });

  it('drift: a lost hash label and a deleted Deployment are put right', () => {
    const recording = recorded('drift');
    const namespace = 'drift';
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, 'drift/1');
    cluster.settle();
    const csv = 'ClusterServiceVersion drift/lighthouse-operator.v1.0.0';
    const before = cluster.timeline.length;
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lighthouse-manager', namespace };
    cluster.patch(deployment, { metadata: { labels: { 'olm.deployment-spec-hash': null } } });
    cluster.settle();
    cluster.perform([{ do: 'delete', ref: deployment, propagation: 'Background' }]);
    cluster.settle();
    const phases = phasesOf(recording.timeline, csv);
    const fromLostLabel = phases.slice(phases.findIndex((text) => text.includes('spec hash')));
    expect(phasesOf(cluster.timeline.slice(before), csv)).toEqual(fromLostLabel);
    for (const [kind, view] of SAME_IN_THE_END) expectKind(cluster, recording.final, kind, view);
  });

  it('global-vs-own-conflict: the later group may not provide an API that is provided already', () => {
    const recording = recorded('global-vs-own-conflict');
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, 'global-vs-own-conflict/1');
    cluster.settle();
    runPlan(cluster, recording, 'global-vs-own-conflict-g/2');
    cluster.settle();
    expectKind(cluster, recording.final, 'ClusterServiceVersion', verdict);
    expectKind(cluster, recording.final, 'OperatorGroup', groupView);
    expect(cluster.list('Deployment').map(keyOf)).toEqual(['global-vs-own-conflict/tugboat-manager']);
  });

  it('delete-subscription-then-csv: everything the CSV owns goes, its cluster-scoped RBAC first', () => {
    const recording = recorded('delete-subscription-then-csv');
    const namespace = 'group-all-namespaces';
    const installed = recorded(namespace);
    const cluster = replayOf(installed, ...USUAL);
    runPlan(cluster, installed, `${namespace}/1`);
    cluster.settle();
    cluster.perform([
      { do: 'delete', ref: { apiVersion: 'v1', kind: 'Subscription', name: 'tugboat', namespace }, propagation: 'Background' },
    ]);
    cluster.settle();
    expect(cluster.list('Deployment')).toHaveLength(1);
    const csv = { apiVersion: 'v1', kind: 'ClusterServiceVersion', name: 'tugboat-operator.v1.0.0', namespace };
    cluster.perform([{ do: 'delete', ref: csv, propagation: 'Background' }]);
    cluster.settle();
    for (const kind of ['ClusterServiceVersion', 'Deployment', 'OperatorCondition', 'Role', 'RoleBinding', 'ClusterRoleBinding']) {
      expect(cluster.list(kind).map(keyOf), kind).toEqual(Object.keys(recording.final[kind] ?? {}));
    }
    const suffixes = (names: readonly string[]) => names.map((name) => name.match(/(olm\.og\.team\.\w+|-v1-\w+)/)?.[0]).toSorted();
    expect(suffixes(cluster.list('ClusterRole').map(keyOf))).toEqual(suffixes(Object.keys(recording.final['ClusterRole'] ?? {})));
    expect(cluster.list('OperatorGroup')[0]?.metadata.annotations).toEqual({ 'olm.providedAPIs': '' });
  });
});
