import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import { joinApiVersion, KubernetesObject, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { isRecord } from '../../kernel/json/go-json.js';
import { CRD_KIND, kindOfStep } from './install-plan-step.js';

/**
 * A step's manifest as an object, or the error that fails the plan. `needsReplan`: a plan that the hub makes
 * itself has no such step.
 */
export type ParsedManifest = Readonly<{ object: KubernetesObject }> | Readonly<{ fail: string; needsReplan?: true }>;

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
 * The object of a step. apiVersion and kind are filled from the step where the manifest leaves them out, as
 * OLM's own manifests of typed objects do; typed kinds have the apiVersion of their type. Spec:
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
  const parsed = KubernetesObject.safeParse({
    ...value,
    apiVersion: apiVersionOf(step, value['apiVersion']),
    kind: value['kind'] || kind,
    metadata: isRecord(value['metadata']) ? withUids(withoutNulls(value['metadata'])) : {},
  });
  // Whose rights write the step, and where, follows from its kind: a manifest of
  // another kind would borrow them.
  if (!parsed.success || parsed.data.kind !== kind) return { fail: `error parsing step manifest: ${resource.name}` };
  return { object: withName(parsed.data, resource.name) };
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

/** Plans of others may name owners without a uid: those of CSVs get the live one. */
function withUids(metadata: Record<string, unknown>): Record<string, unknown> {
  const owners = metadata['ownerReferences'];
  if (!Array.isArray(owners)) return metadata;
  const named = owners.map((owner: unknown) => (isRecord(owner) ? { ...owner, uid: owner['uid'] ?? '' } : owner));
  return { ...metadata, ownerReferences: named };
}

// Go writes `creationTimestamp: null` and the like into manifests.
const withoutNulls = (metadata: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));

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
