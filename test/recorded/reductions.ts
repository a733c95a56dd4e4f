import { createHash } from 'node:crypto';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';

type Fields = Record<string, unknown>;

const record = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(record) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Picks the named fields that are there. */
const pick = (from: unknown, ...keys: readonly string[]): Fields =>
  Object.fromEntries(keys.flatMap((key) => (record(from)[key] === undefined ? [] : [[key, record(from)[key]]])));

const without = (from: unknown, ...keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(record(from)).filter(([key]) => !keys.includes(key)));

const DROPPED_ANNOTATIONS = ['kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision'];

function metadataOf(kind: string, { metadata }: KubernetesObject): Fields {
  const dropped = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'selfLink'];
  if (kind !== 'OperatorCondition') dropped.push('generation');
  const { annotations, ownerReferences, ...kept } = without(metadata, ...dropped);
  return {
    ...kept,
    ...(annotations === undefined ? {} : { annotations: without(annotations, ...DROPPED_ANNOTATIONS) }),
    ...(ownerReferences === undefined
      ? {}
      : { ownerReferences: list(ownerReferences).map((owner) => without(owner, 'uid')) }),
  };
}

/** `{Type: "Status/Reason"}`, the form that the recordings give the conditions of some kinds. */
const conditionMap = (conditions: unknown): Fields =>
  Object.fromEntries(list(conditions).map(({ type, status, reason }) => [type, `${status}/${text(reason)}`]));

/** Step manifests beyond this are left out of the recordings. */
const LONGEST_MANIFEST = 6_000;

function stepOf(step: Fields): Fields {
  const resource = record(step['resource']);
  const manifest = text(resource['manifest']);
  const shown = manifest.length > LONGEST_MANIFEST ? `<omitted: ${manifest.length} bytes>` : JSON.parse(manifest);
  return { ...step, resource: { ...resource, manifest: shown } };
}

/** Writes sorted keys like Python's json.dumps: the recorder's form. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return asciiJson(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => byCodeUnit(a, b));
  return `{${entries.map(([key, item]) => `${asciiJson(key)}: ${sortedJson(item)}`).join(', ')}}`;
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const specSha256 = (spec: Fields): string =>
  createHash('sha256')
    .update(sortedJson({ ...spec, conversion: null }))
    .digest('hex')
    .slice(0, 16);

type Reduction = (object: KubernetesObject & Fields) => Fields;

const specAndStatus: Reduction = (object) => pick(object, 'spec', 'status');

/** Fields of each kind in the recordings, besides its metadata. */
const REDUCTIONS: Readonly<Record<string, Reduction>> = {
  ClusterServiceVersion: ({ spec, status }) => ({
    spec: pick(spec, 'replaces', 'skips', 'version'),
    ...(status === undefined ? {} : { status: csvStatus(record(status)) }),
  }),
  InstallPlan: ({ spec, status }) => ({
    spec,
    ...(status === undefined ? {} : { status: { ...record(status), plan: list(record(status)['plan']).map(stepOf) } }),
  }),
  CustomResourceDefinition: ({ spec, status }) => ({
    spec: {
      versions: list(record(spec)['versions']).map((version) => pick(version, 'name', 'served', 'storage')),
      conversion: record(spec)['conversion'],
    },
    status: {
      storedVersions: record(status)['storedVersions'],
      conditions: Object.fromEntries(list(record(status)['conditions']).map(({ type, status: is }) => [type, is])),
    },
    specSha256: specSha256(record(spec)),
  }),
  Deployment: ({ spec, status }) => ({ spec, status: { conditions: conditionMap(record(status)['conditions']) } }),
  APIService: ({ spec, status }) => ({ spec, status: { conditions: conditionMap(record(status)['conditions']) } }),
  Secret: ({ data, type }) => ({ type, dataKeys: Object.keys(record(data)).toSorted(byCodeUnit) }),
  Service: ({ spec, status }) => ({
    spec: without(spec, 'clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'),
    status,
  }),
  ConfigMap: (object) => pick(object, 'data'),
  Namespace: () => ({}),
  ServiceAccount: (object) => pick(object, 'secrets', 'imagePullSecrets'),
  Operator: ({ spec, status }) => ({
    spec,
    status: {
      components: {
        refs: list(record(record(status)['components'])['refs'])
          .map(componentLine)
          .toSorted(byCodeUnit),
      },
    },
  }),
};

const csvStatus = (status: Fields): Fields => ({
  ...status,
  ...(status['conditions'] === undefined
    ? {}
    : { conditions: list(status['conditions']).map((entry) => pick(entry, 'phase', 'reason', 'message')) }),
});

function componentLine({ kind, namespace, name, conditions }: Fields): string {
  const summaries = list(conditions).map(({ type, status, reason }) => `${type}=${status}/${text(reason)}`);
  return `${kind} ${text(namespace)}/${name} ${summaries.join(' ')}`;
}

/** The object as the recordings hold it, before masking. */
export function reduced(kind: string, object: KubernetesObject): Fields {
  const rest =
    kind.includes('Webhook') || kind.includes('Role') ? without(object, 'apiVersion', 'kind', 'metadata') : undefined;
  const body = rest ?? (REDUCTIONS[kind] ?? specAndStatus)(object as KubernetesObject & Fields);
  const whole = { metadata: metadataOf(kind, object), ...body };
  return kind === 'OperatorCondition' ? whole : record(withoutObservedGeneration(whole));
}

/**
 * It stands in many places, manifests of steps included; the recordings keep it for OperatorConditions alone.
 */
function withoutObservedGeneration(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutObservedGeneration);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'observedGeneration');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutObservedGeneration(item)]));
}
