import { z } from 'zod';
import type { Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';

const Named = z.looseObject({ name: z.string() });
const Loose = z.looseObject({});

/**
 * The parts of Subscription.spec.config that reach a Deployment. `selector` is accepted and
 * read nowhere, as in OLM.
 */
export const SubscriptionConfig = z.looseObject({
  env: z.array(Named).nullish(),
  envFrom: z.array(Loose).nullish(),
  volumes: z.array(Named).nullish(),
  volumeMounts: z.array(Named).nullish(),
  tolerations: z.array(Loose).nullish(),
  resources: Loose.nullish(),
  nodeSelector: z.record(z.string(), z.string()).nullish(),
  affinity: z
    .looseObject({ nodeAffinity: Loose.nullish(), podAffinity: Loose.nullish(), podAntiAffinity: Loose.nullish() })
    .nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});
export type SubscriptionConfig = z.infer<typeof SubscriptionConfig>;

export const Container = z.looseObject({
  name: z.string(),
  env: z.array(Named).nullish(),
  envFrom: z.array(Loose).nullish(),
  volumeMounts: z.array(Named).nullish(),
});
export type Container = z.infer<typeof Container>;

export const PodSpec = z.looseObject({
  containers: z.array(Container).nullish(),
  volumes: z.array(Named).nullish(),
  tolerations: z.array(Loose).nullish(),
  affinity: Loose.nullish(),
});
export type PodSpec = z.infer<typeof PodSpec>;

/**
 * Returns the config of the Subscription that installed the CSV: the first by name with this CSV in
 * status.installedCSV. A config of another shape is left out (spec: csv-lifecycle.md §11).
 */
export function configFor(csv: string, subscriptions: readonly Subscription[]): SubscriptionConfig {
  const owner = subscriptions
    .filter(({ status }) => status?.installedCSV === csv)
    .toSorted((a, b) => byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? ''))[0];
  if (owner?.spec.config === undefined) return {};
  const parsed = SubscriptionConfig.safeParse(owner.spec.config);
  return parsed.success ? parsed.data : {};
}

/**
 * Merges by name: a variable of `added` replaces the one of `base` with its name, in place; new names follow
 * in order. Of several variables with one name the last value counts.
 */
export function mergedVariables<T extends { name: string }>(
  base: readonly T[],
  added: readonly NoInfer<T>[],
): readonly T[] {
  const names = new Set(base.map(({ name }) => name));
  const newest = (one: T): T => added.findLast(({ name }) => name === one.name) ?? one;
  return [...base, ...added.filter(({ name }) => !names.has(name))].map(newest);
}

/**
 * Merges lists by name. Each of `added` replaces the first entry of `base` with its name, or is appended.
 * Added entries may share a name, as a volume may be mounted at several places.
 */
function mergedByName<T extends { name: string }>(base: readonly T[], added: readonly NoInfer<T>[]): readonly T[] {
  const result = [...base];
  for (const one of added) {
    const place = base.findIndex(({ name }) => name === one.name);
    if (place < 0) result.push(one);
    else result[place] = one;
  }
  return result;
}

/** Returns `base` with those of `added` appended that it does not contain already. */
function appendedUnlessEqual<T>(base: readonly T[], added: readonly NoInfer<T>[]): readonly T[] {
  const known = new Set(base.map(canonicalJson));
  return [...base, ...added.filter((one) => !known.has(canonicalJson(one)))];
}

/**
 * Returns the pod of an operator with the Subscription's config put in: all containers, no init containers
 * (§11).
 */
export function withConfig(pod: PodSpec, config: SubscriptionConfig): PodSpec {
  const result: PodSpec = { ...pod, containers: (pod.containers ?? []).map((one) => configured(one, config)) };
  if (config.volumes) result.volumes = [...mergedByName(pod.volumes ?? [], config.volumes)];
  if (config.tolerations) result.tolerations = [...appendedUnlessEqual(pod.tolerations ?? [], config.tolerations)];
  if (config.nodeSelector) result['nodeSelector'] = config.nodeSelector;
  if (config.affinity) {
    const { affinity: _old, ...rest } = result;
    const affinity = mergedAffinity(pod.affinity, config.affinity);
    return affinity === undefined ? rest : { ...rest, affinity };
  }
  return result;
}

function configured(container: Container, config: SubscriptionConfig): Container {
  const result: Container = { ...container };
  if (config.env) result.env = [...mergedVariables(container.env ?? [], config.env)];
  if (config.envFrom) result.envFrom = [...appendedUnlessEqual(container.envFrom ?? [], config.envFrom)];
  if (config.volumeMounts) result.volumeMounts = [...mergedByName(container.volumeMounts ?? [], config.volumeMounts)];
  if (config.resources) result['resources'] = config.resources;
  return result;
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/**
 * Merges affinities. A sub-field replaces its own, `{}` clears it; an empty podAntiAffinity clears everything
 * (measured in OLM, §11).
 */
function mergedAffinity(
  base: Readonly<Record<string, unknown>> | null | undefined,
  config: NonNullable<SubscriptionConfig['affinity']>,
): Record<string, unknown> | undefined {
  if (isEmpty(config)) return undefined;
  if (base === undefined || base === null || isEmpty(base)) return { ...config };
  const result: Record<string, unknown> = { ...base };
  for (const field of ['nodeAffinity', 'podAffinity', 'podAntiAffinity'] as const) {
    const wanted = config[field];
    if (!wanted) continue;
    if (!isEmpty(wanted)) result[field] = wanted;
    else if (field === 'podAntiAffinity') return undefined;
    else delete result[field];
  }
  return isEmpty(result) ? undefined : result;
}

/** Keys that are not there yet; existing ones are never overridden (§11, annotations). */
export const withMissing = (
  base: Readonly<Record<string, string>> | undefined,
  added: Readonly<Record<string, string>> | null | undefined,
): Record<string, string> => ({ ...added, ...base });
