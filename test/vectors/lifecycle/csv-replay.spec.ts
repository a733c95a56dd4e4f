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

/** Compares final state, phases in order and events of every CSV the recording knows. */
function expectRecorded(cluster: ReplayCluster, recording: Recording, except: readonly string[] = []): void {
  for (const [kind, view] of SAME_IN_THE_END) {
    if (!except.includes(kind)) expectKind(cluster, recording.final, kind, view);
  }
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
});
