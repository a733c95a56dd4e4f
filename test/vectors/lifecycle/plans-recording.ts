import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import type { Property } from '#core/catalog/model/catalog';
import { PROPERTIES_ANNOTATION } from '#core/classic/install-plan/creation/bundle-steps';
import { type InstallToPlan, planInstall } from '#core/classic/install-plan/creation/plan-install';
import type { InstallPlanStep } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';

const here = import.meta.dirname;
const realBundles = join(here, '../../../../shared/data/bundles');

type RecordedStep = Readonly<{
  resolving: string;
  kind: string;
  name: string;
  group: string;
  version: string;
  sourceName: string;
  sourceNamespace: string;
  manifest?: Readonly<Record<string, unknown>>;
  properties?: string;
  replaces?: string;
}>;

type RecordedBundle = Readonly<{
  package: string;
  channel: string;
  properties: readonly Property[];
  objects: readonly KubernetesObject[];
}>;

/** One plan that OLM really made, reduced to what a plan is made of; see README.md beside the recordings. */
export type PlanRecording = Readonly<{
  scenario: string;
  namespace: string;
  subscriptions: readonly Readonly<{ metadata: { name: string; namespace: string }; spec: Subscription['spec'] }>[];
  /** Bundles written for the recording. */
  bundles?: Readonly<Record<string, RecordedBundle>>;
  /** A public bundle, as `<package>/<version>` of the folder with real bundles. */
  bundle?: string;
  /** Another recording whose plan was executed before in the same namespace. */
  after?: string;
  expected: Readonly<{
    spec: Readonly<{ approval: string; approved: boolean; clusterServiceVersionNames: string[]; generation: number }>;
    ownerReferences: readonly Readonly<Record<string, unknown>>[];
    catalogSources: readonly string[];
    steps: readonly RecordedStep[];
    live: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }>;
}>;

/** Every recording whose bundles are at hand, and the names of those that could not be replayed. */
export function planRecordings(): { recordings: PlanRecording[]; absent: string[] } {
  const folder = join(here, 'plans');
  const all = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file): PlanRecording => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const present = ({ bundle }: PlanRecording) =>
    bundle === undefined || statSync(join(realBundles, bundle), { throwIfNoEntry: false }) !== undefined;
  return {
    recordings: all.filter(present),
    absent: all.filter((one) => !present(one)).map(({ scenario }) => scenario),
  };
}

function filesBelow(folder: string, prefix = ''): { path: string; bytes: Uint8Array }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    const full = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(full, path) : [{ path, bytes: readFileSync(full) }];
  });
}

/** The recording left these two out of each real CSV before serving it. */
function withoutDependencies(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'ClusterServiceVersion') return object;
  const copy = structuredClone(object) as KubernetesObject & { spec: Record<string, unknown> };
  delete copy.spec['replaces'];
  const crds = copy.spec['customresourcedefinitions'] as Record<string, unknown> | undefined;
  delete crds?.['required'];
  return copy;
}

function bundlesOf({ bundles, bundle, expected }: PlanRecording): Record<string, RecordedBundle> {
  if (bundles !== undefined) return { ...bundles };
  const { objects } = readBundle(filesBelow(join(realBundles, bundle ?? '')));
  const [name = ''] = expected.spec.clusterServiceVersionNames;
  return { [name]: { package: name, channel: 'stable', properties: [], objects: objects.map(withoutDependencies) } };
}

const uidOf = (name: string): string => `uid-of-${name}`;

const asSubscription = ({ metadata, spec }: PlanRecording['subscriptions'][number]): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { ...metadata, uid: uidOf(metadata.name) },
  spec,
});

/** The same resolution as the one recorded, in the order in which OLM happened to list it. */
export function inputOf(recording: PlanRecording): InstallToPlan {
  const { expected, namespace } = recording;
  const bundles = bundlesOf(recording);
  const csvStep = (name: string) =>
    expected.steps.find((step) => step.kind === 'ClusterServiceVersion' && step.name === name);
  const subscriptions = recording.subscriptions.map(asSubscription);
  const generation = expected.spec.generation - 1;
  const chosen = expected.spec.clusterServiceVersionNames.map((name) => ({
    name,
    package: bundles[name]?.package ?? '',
    channel: bundles[name]?.channel ?? '',
    catalog: csvStep(name)?.sourceName ?? '',
    catalogNamespace: csvStep(name)?.sourceNamespace ?? '',
    version: '',
    replaces: csvStep(name)?.replaces ?? '',
    source: { inline: `sha256:${'0'.repeat(64)}` },
    properties: bundles[name]?.properties ?? [],
  }));
  const created = expected.steps.filter(({ kind }) => kind === 'Subscription');
  return {
    namespace,
    subscriptions: subscriptions.map((one) => ({ ...one, status: { installPlanGeneration: generation } })),
    resolution: {
      result: 'resolved',
      chosen,
      subscriptionsCreated: created.map(({ name, manifest }) => ({
        name,
        spec: manifest?.['spec'] as Record<string, string>,
      })),
      subscriptionsUpdated: subscriptions.map(({ metadata }) => ({
        name: metadata.name ?? '',
        currentCSV: chosen.at(-1)?.name ?? '',
      })),
    },
    bundles: new Map(Object.entries(bundles)),
    existingPlans: [],
  };
}

/** The plan that Flotilla makes of the recorded resolution. */
export function replay(recording: PlanRecording) {
  const planned = planInstall(inputOf(recording));
  if (planned.result !== 'plan') throw new Error(`no plan: ${planned.because}`);
  return { ...planned, steps: (planned.status.plan ?? []).filter((step): step is InstallPlanStep => step !== null) };
}

type Meta = Record<string, unknown> & { ownerReferences?: Record<string, unknown>[]; namespace?: unknown };

// OLM writes a namespace into some ClusterRoleBindings, and none into accounts that have cluster permissions
// only; at execution both come out right, as the live objects show.
const NAMESPACE_VARIES = new Set(['ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition', 'ServiceAccount']);

/**
 * What of a manifest must match: without the uid, which the recording masks, and what
 * only Go's structs write.
 */
export function comparable(kind: string, manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { apiVersion: _api, kind: _kind, status: _status, ...rest } = manifest;
  const { ownerReferences, namespace, creationTimestamp: _never, ...metadata } = { ...(rest['metadata'] as Meta) };
  const owners = ownerReferences?.map(({ uid: _uid, ...owner }) => owner);
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(namespace === undefined || NAMESPACE_VARIES.has(kind) ? {} : { namespace }),
      ...(owners === undefined ? {} : { ownerReferences: owners }),
    },
  };
}

/** Our step in the shape of a recorded one. */
export function recordedShape(step: InstallPlanStep, recorded: RecordedStep | undefined): RecordedStep {
  const { manifest = '{}', name, kind, group, version, sourceName, sourceNamespace } = step.resource;
  const object = JSON.parse(manifest) as KubernetesObject & { spec?: Record<string, unknown> };
  return {
    resolving: step.resolving,
    ...{ kind, name, group, version, sourceName, sourceNamespace },
    ...(recorded?.manifest === undefined ? {} : { manifest: comparable(kind, object) }),
    ...(recorded?.properties === undefined
      ? {}
      : { properties: object.metadata.annotations?.[PROPERTIES_ANNOTATION] ?? '' }),
    ...(recorded?.replaces === undefined ? {} : { replaces: String(object.spec?.['replaces'] ?? '') }),
  };
}

/** `Kind name`, which is unique in a plan of these recordings. */
export const stepKey = ({ kind, name }: Readonly<{ kind: string; name: string }>): string => `${kind} ${name}`;
