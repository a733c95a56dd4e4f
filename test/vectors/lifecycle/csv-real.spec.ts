import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type KubernetesObject, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import {
  type Dump,
  expectKind,
  isObject,
  masked,
  requirementStatus,
  SAME_IN_THE_END,
  verdict,
  within,
} from './csv-recording.js';
import { ReplayCluster } from './csv-replay-cluster.js';
import { planRecordings, replay } from './plans-recording.js';

/** The recorded operators of public catalogs that bring neither webhooks nor APIServices. */
const PUBLIC = ['real-eventing-kogito', 'real-kairos-operator', 'real-mercury-operator', 'real-pelorus-operator'];
/** The same replay on our own sample operators, whose recordings are part of this repository. */
const SAMPLES = ['dependencies-resolved', 'install-manual'];

const recordingOf = (scenario: string) =>
  SAMPLES.includes(scenario)
    ? join(import.meta.dirname, 'scenarios', scenario, 'observed.json')
    : join(PUBLIC_DATA, 'vectors/lifecycle', scenario, 'observed.json');
const replayable = planRecordings().recordings.filter(
  ({ scenario }) => [...PUBLIC, ...SAMPLES].includes(scenario) && existsSync(recordingOf(scenario)),
);
const replayed = new Set(replayable.map(({ scenario }) => scenario));

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  namespace?: string,
  rest: object = {},
): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...rest,
});

/**
 * The recorded namespace, group and Subscription, and the objects of the plan as Flotilla
 * makes it of the real bundle.
 */
function installed(recording: (typeof replayable)[number], dump: Dump): ReplayCluster {
  const { namespace, scenario } = recording;
  const cluster = new ReplayCluster();
  cluster.servedKinds = new Set([
    ...['Deployment.v1.apps', 'StatefulSet.v1.apps', 'DaemonSet.v1.apps'],
    ...['CronJob.v1.batch', 'HorizontalPodAutoscaler.v2.autoscaling'],
  ]);
  cluster.seed(object('v1', 'Namespace', namespace));
  for (const [key, group] of Object.entries(dump['OperatorGroup'] ?? {})) {
    const [inNamespace, name = ''] = key.split('/');
    if (inNamespace !== scenario) continue;
    cluster.seed(object('operators.coreos.com/v1', 'OperatorGroup', name, namespace, { spec: group['spec'] }));
  }
  cluster.settle();
  for (const { resource } of replay(recording).steps) {
    const manifest = JSON.parse(resource.manifest ?? '{}') as KubernetesObject;
    const { group, version } = splitApiVersion(manifest.apiVersion);
    expect([group, version]).toEqual([resource.group, resource.version]);
    const labels = { ...manifest.metadata.labels, 'olm.managed': 'true' };
    const clusterScoped = /^(ClusterRole|ClusterRoleBinding|CustomResourceDefinition)$/.test(manifest.kind);
    cluster.seed({ ...manifest, metadata: { ...(clusterScoped ? {} : { namespace }), ...manifest.metadata, labels } });
  }
  cluster.settle();
  return cluster;
}

/** Without the component label, which needs a Subscription that is at its latest version. */
function withoutComponentLabels(dump: Dump): Dump {
  const text = JSON.stringify(dump, (key, value) => (key.startsWith('operators.coreos.com/') ? undefined : value));
  return JSON.parse(text) as Dump;
}

/**
 * Real manifests name registries and moments, which the recordings mask inside texts:
 * there, ours counts as equal.
 */
function asMasked(ours: unknown, recordedOne: unknown): unknown {
  // The API server's Go types do not write a zero.
  if (recordedOne === undefined && ours === 0) return undefined;
  if (recordedOne === '<omitted>' && typeof ours === 'string') return recordedOne;
  if (typeof ours === 'string' && typeof recordedOne === 'string' && /<(registry|time)>/.test(recordedOne)) {
    const literal = recordedOne.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = literal.replaceAll('<registry>', '[^/\\s"]+').replaceAll('<time>', '[-0-9T:.Z]+');
    return new RegExp(`^${pattern}$`).test(ours) ? recordedOne : ours;
  }
  if (Array.isArray(ours) && Array.isArray(recordedOne)) return ours.map((one, at) => asMasked(one, recordedOne[at]));
  if (!isObject(ours) || !isObject(recordedOne)) return ours;
  return Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, asMasked(value, recordedOne[key])]));
}

// The plan is made here without the catalog's properties, which OLM writes into this annotation.
const withoutProperties = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, inner) => (key === 'operatorframework.io/properties' ? undefined : inner)),
  );

function expectAlike(
  cluster: ReplayCluster,
  dump: Dump,
  kind: string,
  view: (object: KubernetesObject) => unknown,
): void {
  for (const [key, one] of Object.entries(dump[kind] ?? {})) {
    const [namespace, name] = key.includes('/') ? key.split('/') : ['', key];
    const found = cluster.get(kind, namespace ?? '', name ?? '');
    const expected = withoutProperties(masked(view(one)));
    expect(asMasked(withoutProperties(found && masked(view(found))), expected), key).toEqual(expected);
  }
}

describe.each(replayable.map((recording) => [recording.scenario, recording] as const))('%s', (scenario, recording) => {
  const { final } = JSON.parse(readFileSync(recordingOf(scenario), 'utf8')) as { final: Dump };
  const dump = withoutComponentLabels(final);
  const cluster = installed(recording, dump);

  it('comes to Succeeded with the requirements that OLM found', () => {
    expectKind(cluster, dump, 'ClusterServiceVersion', verdict);
    expectKind(cluster, dump, 'ClusterServiceVersion', requirementStatus);
  });

  it('gets the Deployments that OLM made', () => {
    for (const [key, one] of Object.entries(dump['Deployment'] ?? {})) {
      const [namespace = '', name = ''] = key.split('/');
      const { strategy: _strategy, ...asked } = withoutProperties(
        cluster.get('Deployment', namespace, name)?.['spec'],
      ) as Record<string, unknown>;
      expect(within(asked, withoutProperties(one['spec'])), key).toEqual(asMasked(asked, one['spec']));
    }
  });

  it.each(SAME_IN_THE_END)('leaves each %s as OLM left it', (kind, view) => {
    expectAlike(cluster, dump, kind, view);
  });
});

it('replays every sample operator', () => {
  expect(SAMPLES.filter((name) => !replayed.has(name))).toEqual([]);
});

it(
  'replays every public operator',
  needing({ ...publicData('vectors/lifecycle'), isThere: PUBLIC.every((name) => replayed.has(name)) }),
  () => {
    expect(PUBLIC.filter((name) => !replayed.has(name))).toEqual([]);
  },
);
