import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { CLUSTER_SCOPED, type Digest, ReplayCluster } from './csv-replay-cluster.js';

export type Dump = Record<string, Record<string, KubernetesObject>>;
type Recording = Readonly<{
  scenario: string;
  inputs: KubernetesObject[];
  plans: Record<string, KubernetesObject[]>;
  timeline: (Digest & { deleting?: boolean })[];
  events: { object: string; type: string; reason: string; message: string }[];
  checkpoints: Record<string, Dump>;
  final: Dump;
}>;

export const recorded = (scenario: string): Recording =>
  JSON.parse(readFileSync(new URL(`./csv/${scenario}.json`, import.meta.url), 'utf8')) as Recording;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object';

/** Recordings mask what differs from run to run, and so do we: uids, versions, times, our own spec hash. */
export function masked(value: unknown): unknown {
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
export const phasesOf = (timeline: readonly Digest[], object: string): string[] =>
  timeline
    .filter((one) => one.object === object && one.phase !== undefined && !one.deleted)
    .map((one) => line(one).replace(hashes, 'hash=<hash>'))
    .filter((text, index, all) => !timing.test(text) && all[index - 1] !== text);

/** Puts the recorded inputs and the manifests of one plan into a cluster, CRDs first as the plan does. */
export function replayOf(recording: Recording, ...kinds: string[]): ReplayCluster {
  const cluster = new ReplayCluster();
  for (const input of recording.inputs.filter(({ kind }) => kinds.includes(kind))) cluster.seed(input);
  cluster.settle();
  return cluster;
}

export const USUAL = ['Namespace', 'OperatorGroup', 'Subscription'];

const here = (kind: string, namespace: string) => (CLUSTER_SCOPED.has(kind) ? {} : { namespace });

export function runPlan(cluster: ReplayCluster, recording: Recording, plan: string): void {
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
    const object = {
      ...manifest,
      metadata: {
        ...here(manifest.kind, namespace),
        ...manifest.metadata,
        labels,
        ...(annotations && { annotations }),
      },
    };
    const live = cluster.get(object.kind, namespace, object.metadata.name ?? '');
    if (live === undefined) cluster.seed(object);
    else overwrite(cluster, live, object);
  }
  for (const subscription of cluster.list('Subscription', namespace)) {
    const installedCSV = csvs[0]?.metadata.name;
    cluster.patch(
      { apiVersion: 'v1', kind: 'Subscription', name: subscription.metadata.name ?? '', namespace },
      {
        status: { installedCSV },
      },
    );
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
    {
      do: 'update',
      object: { ...live, metadata: { ...live.metadata, annotations, ...(owners.length && { ownerReferences }) } },
    },
  ]);
}

/**
 * Every field the recording names must be there and equal, for all objects of the kind in
 * the recorded namespaces.
 */
export function expectKind(
  cluster: ReplayCluster,
  dump: Dump,
  kind: string,
  view: (object: KubernetesObject) => unknown,
): void {
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
export const rules = (object: KubernetesObject) => ({
  ...rbac(object),
  aggregationRule: object['aggregationRule'],
  ...(object['aggregationRule'] === undefined ? { rules: object['rules'] } : {}),
});
const csvMetadata = ({ metadata }: KubernetesObject) => ({
  annotations: metadata.annotations,
  labels: metadata.labels,
  finalizers: metadata.finalizers,
});
export const groupView = ({ metadata, ...object }: KubernetesObject) => ({
  annotations: metadata.annotations,
  status: object['status'],
});
export const verdict = (object: KubernetesObject) => {
  const { phase, reason, message } = (object as ClusterServiceVersion).status ?? {};
  return { phase, reason, message: message?.replace(hashes, 'hash=<hash>') };
};

export const requirementStatus = (object: KubernetesObject) =>
  (object as ClusterServiceVersion).status?.requirementStatus;

export const SAME_IN_THE_END: readonly (readonly [string, (object: KubernetesObject) => unknown])[] = [
  ['ClusterServiceVersion', verdict],
  ['ClusterServiceVersion', csvMetadata],
  ['OperatorGroup', groupView],
  [
    'OperatorCondition',
    (object) => ({ owners: object.metadata.ownerReferences, spec: object['spec'], status: object['status'] }),
  ],
  ['Role', rules],
  ['RoleBinding', rbac],
  ['ClusterRole', rules],
  ['ClusterRoleBinding', rbac],
  [
    'Namespace',
    ({ metadata }) => ({
      labels: Object.keys(metadata.labels ?? {})
        .filter((key) => key.startsWith('olm.'))
        .map((key) => key.replace(/\/.*/, '')),
    }),
  ],
  ['Deployment', labelsAndOwners],
];

const MADE_BY_US = ['Deployment', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'OperatorCondition'];

export const keyOf = ({ kind, metadata }: KubernetesObject): string =>
  CLUSTER_SCOPED.has(kind) ? `${metadata.name}` : `${metadata.namespace}/${metadata.name}`;

/** Each field of `wanted` as it is in `whole`: the API server adds defaults, but changes nothing. */
export function within(wanted: unknown, whole: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(whole)) return whole.map((one, index) => within(wanted[index], one));
  if (!isObject(wanted) || !isObject(whole) || Array.isArray(whole)) return whole;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, within(wanted[key], whole[key])]));
}

export function expectDeploymentSpecs(cluster: ReplayCluster, dump: Dump): void {
  for (const [key, recordedOne] of Object.entries(dump['Deployment'] ?? {})) {
    const [namespace = '', name = ''] = key.split('/');
    const spec = cluster.get('Deployment', namespace, name)?.['spec'] as Record<string, unknown>;
    // An empty strategy is what the API server fills in; the rest of what we ask for comes back as it was.
    const { strategy: _strategy, ...asked } = spec;
    expect(within(asked, recordedOne['spec']), key).toEqual(asked);
  }
}

/** Compares final state, phases in order and events of every CSV the recording knows. */
export function expectRecorded(cluster: ReplayCluster, recording: Recording, except: readonly string[] = []): void {
  for (const [kind, view] of SAME_IN_THE_END) {
    if (!except.includes(kind)) expectKind(cluster, recording.final, kind, view);
  }
  for (const kind of MADE_BY_US.filter((one) => !except.includes(one))) {
    const names = cluster.list(kind).map(keyOf);
    expect(names.toSorted(), kind).toEqual(Object.keys(recording.final[kind] ?? {}).toSorted());
  }
  if (!except.includes('Deployment')) expectDeploymentSpecs(cluster, recording.final);
  const csvs = [...new Set(recording.timeline.map(({ object }) => object))];
  for (const csv of csvs.filter(
    (object) => !recording.timeline.some((one) => one.object === object && one.reason === 'Copied'),
  )) {
    expect(phasesOf(cluster.timeline, csv), csv).toEqual(phasesOf(recording.timeline, csv));
  }
}
