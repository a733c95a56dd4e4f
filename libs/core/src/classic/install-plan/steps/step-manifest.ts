import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import {
  joinApiVersion,
  type KubernetesObject,
  readObject,
  splitApiVersion,
} from '../../../kernel/api/kubernetes-object.js';
import { type Decoded, problemText } from '../../../kernel/go-types/decoded.js';
import { writtenTyped } from '../../../kernel/go-types/write-typed.js';
import { isRecord } from '../../../kernel/json/json-access.js';
import { CRD_KIND, CSV_KIND, kindOfStep, SUBSCRIPTION_KIND } from './install-plan-step.js';

/**
 * A step's manifest as an object, or the error that fails the plan. `needsReplan`: a plan that the hub makes
 * itself has no such step.
 */
type ParsedManifest = Readonly<{ object: KubernetesObject }> | Readonly<{ fail: string; needsReplan?: true }>;

/**
 * OLM keeps the manifests of image bundles in ConfigMaps and writes a reference here; ours are resolved
 * before (bundle-reference.ts).
 */
const isReference = (value: Record<string, unknown>): boolean => 'catalogSourceName' in value && !('metadata' in value);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A manifest is asked for several times while its step is decided, and parsing a large one is slow. */
const parsedManifests = new WeakMap<InstallPlanStep, ParsedManifest>();

/**
 * Returns the object of a step. If the manifest omits apiVersion and kind, as OLM's own manifests of typed
 * objects do, they are filled from the step. Typed kinds have the apiVersion of their type. Spec:
 * install-plans.md §2, §5.
 */
export function manifestOf(step: InstallPlanStep): ParsedManifest {
  const parsed = parsedManifests.get(step) ?? parseManifest(step);
  parsedManifests.set(step, parsed);
  return parsed;
}

function parseManifest(step: InstallPlanStep): ParsedManifest {
  const { resource } = step;
  const value = parsedJson(resource.manifest ?? '');
  if (!isRecord(value)) return { fail: `error parsing step manifest: ${resource.name}` };
  const { kind } = kindOfStep(step);
  if (isReference(value)) {
    const where = [value['namespace'], value['name']].filter((part) => typeof part === 'string').join('/');
    return { fail: `error finding unpacked bundle configmap for ref ${where}`, needsReplan: true };
  }
  const completed = {
    ...value,
    apiVersion: apiVersionOf(step, value['apiVersion']),
    kind: value['kind'] || kind,
    metadata: value['metadata'] ?? {},
  };
  // The kind of a step decides the account and the place of its write: a manifest of another kind would
  // borrow them.
  if (completed.kind !== kind) return { fail: `error parsing step manifest: ${resource.name}` };
  const read = typedObject(kind, completed);
  if (!read.ok) return { fail: `error parsing step manifest: ${resource.name}: ${problemText(read.problems)}` };
  return { object: withName(read.value, resource.name) };
}

/** Kinds that OLM reads into types of its own, and writes from them. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map([
  [CSV_KIND, 'alpha.ClusterServiceVersion'],
  [SUBSCRIPTION_KIND, 'alpha.Subscription'],
]);

function typedObject(kind: string, value: Readonly<Record<string, unknown>>): Decoded<KubernetesObject> {
  const type = OWN_TYPES.get(kind);
  if (type === undefined) return readObject(value);
  const written = writtenTyped<KubernetesObject>(type, value);
  if (!written.ok) return written;
  // A new object has no status; Go's zero value for it is left out.
  const { status: _none, ...object } = written.value;
  return { ok: true, value: object as KubernetesObject };
}

function apiVersionOf(step: InstallPlanStep, written: unknown): unknown {
  const { group, version, kind } = kindOfStep(step);
  if (kind === CRD_KIND) {
    const isNamed = typeof written === 'string' && written !== '';
    return joinApiVersion(group, isNamed ? splitApiVersion(written).version : version);
  }
  const differs = group !== step.resource.group || version !== step.resource.version;
  return differs ? joinApiVersion(group, version) : written || joinApiVersion(group, version);
}

const withName = (object: KubernetesObject, name: string): KubernetesObject =>
  object.metadata.name || object.metadata.generateName ? object : { ...object, metadata: { ...object.metadata, name } };

/** True for kinds that have no namespace among those a plan may hold. */
export const isClusterScoped = (kind: string): boolean => CLUSTER_SCOPED.has(kind);

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  CRD_KIND,
  'ClusterRole',
  'ClusterRoleBinding',
  'PriorityClass',
  'ConsoleYAMLSample',
  'ConsoleQuickStart',
  'ConsoleCLIDownload',
  'ConsoleLink',
  'ConsolePlugin',
]);
