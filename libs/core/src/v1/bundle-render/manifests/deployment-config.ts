import type { Container, PodSpec, SubscriptionConfig } from '../../../catalog/bundle/subscription-config.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { isRecord } from '../../../kernel/json/json-access.js';

/**
 * Applies the user's deploymentConfig to the pods of a bundle: all containers, no init containers (spec:
 * v1-apply.md §3). Unlike OLM Classic, v1 replaces volumes and mounts by name. It appends equal tolerations
 * and sources of environment once, and treats each part of affinity separately.
 */
export function withDeploymentConfig(pod: PodSpec, config: SubscriptionConfig): PodSpec {
  const { affinity, nodeSelector, ...rest } = pod;
  return {
    ...rest,
    ...given('nodeSelector', config.nodeSelector ?? nodeSelector),
    ...withAffinity(affinity, config.affinity),
    ...given('volumes', overlaid(pod.volumes, config.volumes)),
    ...given('tolerations', config.tolerations && appendedOnce(pod.tolerations ?? [], config.tolerations)),
    containers: (pod.containers ?? []).map((container) => configured(container, config)),
  };
}

const configured = (
  container: Container,
  { env, envFrom, volumeMounts, resources }: SubscriptionConfig,
): Container => ({
  ...container,
  ...given('env', overlaid(container.env, env)),
  ...given('envFrom', envFrom && appendedOnce(container.envFrom ?? [], envFrom)),
  ...given('volumeMounts', overlaid(container.volumeMounts, volumeMounts)),
  ...(resources ? { resources } : {}),
});

/** Returns a field with content: an empty list or map counts as absent. */
const given = (field: string, value: unknown): Record<string, unknown> =>
  value === null || value === undefined || Object.keys(value).length === 0 ? {} : { [field]: value };

type Named = Readonly<{ name: string }>;

/**
 * Replaces the last entry of the same name, or appends in order. Several may share a name, as a volume may be
 * mounted twice.
 */
function overlaid(base: readonly Named[] | null | undefined, added: readonly Named[] | null | undefined): Named[] {
  const result = [...(base ?? [])];
  const places = new Map(result.map(({ name }, index) => [name, index]));
  for (const one of added ?? []) {
    const place = places.get(one.name);
    if (place === undefined) result.push(one);
    else result[place] = one;
  }
  return result;
}

/** Appends the entries that are not there yet. */
function appendedOnce<T>(base: readonly T[], added: readonly NoInfer<T>[]): T[] {
  const known = new Set(base.map(canonicalJson));
  const result = [...base];
  for (const one of added) {
    const text = canonicalJson(one);
    if (!known.has(text)) result.push(one);
    known.add(text);
  }
  return result;
}

/** Keeps a bundle's affinity, even an empty one, if the user does not set any. */
function withAffinity(old: PodSpec['affinity'], wanted: SubscriptionConfig['affinity']): Pick<PodSpec, 'affinity'> {
  const affinity = wanted ? mergedAffinity(old, wanted) : old;
  return affinity ? { affinity } : {};
}

/**
 * Merges affinities. `{}` removes all affinity. Of the three parts, an absent one stays, an empty one is
 * removed, and any other replaces the bundle's.
 */
function mergedAffinity(
  old: PodSpec['affinity'],
  wanted: NonNullable<SubscriptionConfig['affinity']>,
): PodSpec['affinity'] {
  const parts = (['nodeAffinity', 'podAffinity', 'podAntiAffinity'] as const).filter((part) => wanted[part]);
  if (parts.length === 0) return undefined;
  const merged: Record<string, unknown> = { ...old };
  for (const part of parts) {
    if (saysNothing(wanted[part])) delete merged[part];
    else merged[part] = wanted[part];
  }
  return saysNothing(merged) ? undefined : merged;
}

/** True if the value has only empty lists, at any depth in objects. */
function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) ? Object.values(value).every(saysNothing) : value === null || value === undefined;
}
