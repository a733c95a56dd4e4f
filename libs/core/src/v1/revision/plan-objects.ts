import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { type KubernetesObject, type ObjectRef, refOf } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import type { ContentObject } from './revision-content.js';
import { BUNDLE_VERSION_KEY } from './revision-keys.js';
import { stepObject } from './step-object.js';

/** A revision's plan for one object. `keep`: it changes at most the owner and the version of the object. */
export type PlannedObject = Readonly<{ ref: ObjectRef }> &
  (
    | Readonly<{ does: 'create' | 'keep' | 'delete' }>
    /** Paths of the fields that would get another value, or go. */
    | Readonly<{ does: 'change'; fields: readonly string[] }>
    /** The object belongs to others: its phase is not touched. */
    | Readonly<{ does: 'collide'; report: string }>
  );

type PlanObjectsInput = Readonly<{
  /** The revision that would be applied. */
  revision: ClusterObjectSet;
  /** All other revisions of the extension. */
  siblings: readonly ClusterObjectSet[];
  /** Its objects, in their order. */
  wanted: readonly ContentObject[];
  /** Objects of the revisions before it that are active. */
  earlier: readonly KubernetesObject[];
  /** The object as it is in the cluster. */
  liveOf: (ref: ObjectRef) => KubernetesObject | undefined;
}>;

/**
 * Returns the plan for every object of a revision. Objects only of earlier revisions are deleted once it is
 * complete.
 */
export function planObjects({ revision, siblings, wanted, earlier, liveOf }: PlanObjectsInput): PlannedObject[] {
  const before = new Map(earlier.map((object) => [keyOf(object), object]));
  const stays = new Set(wanted.map(({ object }) => keyOf(object)));
  const planned = wanted.map(({ object, protection }): PlannedObject => {
    const ref = refOf(object);
    const live = liveOf(ref);
    const step = stepObject({ wanted: object, live, revision, siblings, protection });
    if (step.step === 'collision') return { ref, does: 'collide', report: step.report };
    if (live === undefined) return { ref, does: 'create' };
    const fields = step.step === 'progressed' ? [] : changedFields(live, object, before.get(keyOf(object)));
    return fields.length === 0 ? { ref, does: 'keep' } : { ref, does: 'change', fields };
  });
  const own = new Set(siblings.map(({ metadata }) => metadata.uid));
  const leaving = [...before.values()].filter((object) => {
    const owners = liveOf(refOf(object))?.metadata.ownerReferences ?? [];
    return !stays.has(keyOf(object)) && owners.some(({ uid, controller }) => controller === true && own.has(uid));
  });
  return [...planned, ...leaving.map((object): PlannedObject => ({ ref: refOf(object), does: 'delete' }))];
}

const keyOf = (object: KubernetesObject): string => canonicalJson(refOf(object));

/**
 * Returns the paths of `wanted` that differ in `live`, and the paths that were in `before` and are no longer
 * wanted; sorted.
 */
function changedFields(
  live: KubernetesObject,
  wanted: KubernetesObject,
  before: KubernetesObject | undefined,
): string[] {
  const other = differences(['', withoutMarks(wanted), live]);
  const gone = before === undefined ? [] : removals(['', withoutMarks(before), wanted]);
  return [...new Set([...other, ...gone])].sort(byCodeUnit);
}

/** Drops the marks that every new version writes into every object. */
function withoutMarks({ metadata, ...object }: KubernetesObject): Readonly<Record<string, unknown>> {
  const { [BUNDLE_VERSION_KEY]: _version, ...annotations } = metadata.annotations ?? {};
  return { ...object, metadata: { ...metadata, annotations } };
}

type Pair = readonly [path: string, value: unknown, other: unknown];

/**
 * Returns the children of `value`, each with its counterpart in `other`. Undefined if the two cannot be
 * walked side by side.
 */
function pairsBelow([path, value, other]: Pair): readonly Pair[] | undefined {
  if (Array.isArray(value) && Array.isArray(other)) {
    return value.length === other.length ? value.map((item, at) => [`${path}[${at}]`, item, other[at]]) : undefined;
  }
  if (!isRecord(value) || !isRecord(other)) return undefined;
  return Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [[below(path, key), item, other[key]]],
  );
}

function differences(pair: Pair): readonly string[] {
  const [path, wanted, live] = pair;
  const inside = pairsBelow(pair);
  if (inside !== undefined) return inside.flatMap(differences);
  const same = canonicalJson(wanted ?? null) === canonicalJson(live ?? null);
  return same || (live === undefined && isRecord(wanted) && Object.keys(wanted).length === 0) ? [] : [path];
}

function removals(pair: Pair): readonly string[] {
  const [path, , wanted] = pair;
  return wanted === undefined ? [path] : (pairsBelow(pair) ?? []).flatMap(removals);
}

/** `spec.replicas`; a key that is no plain word in brackets. */
const below = (path: string, key: string): string => {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
};
