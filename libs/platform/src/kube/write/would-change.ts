import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { ownsOnly } from './owned-fields.js';

/**
 * Whether a JSON merge patch (RFC 7386) would change anything in `target`. A resourceVersion in
 * it is a lock, no change.
 */
export function patchWouldChange(target: KubernetesObject, patch: Readonly<Record<string, unknown>>): boolean {
  const metadata = patch['metadata'];
  if (!isRecord(metadata)) return mergeWouldChange(target, patch);
  const { resourceVersion, uid, ...changes } = metadata;
  return mergeWouldChange(target, { ...patch, metadata: changes });
}

function mergeWouldChange(target: unknown, patch: unknown): boolean {
  if (!isRecord(patch)) return !sameJson(target ?? null, patch ?? null);
  if (!isRecord(target)) return true;
  return Object.entries(patch).some(([key, value]) =>
    value === null ? target[key] !== undefined && target[key] !== null : mergeWouldChange(target[key], value),
  );
}

/**
 * Whether a server-side apply could change anything: a field of it differs, or the manager owns a field that
 * is no longer in it. Where `live` does not show the owners of its fields, it could.
 */
export function applyWouldChange(live: KubernetesObject, applied: KubernetesObject, manager: string): boolean {
  return !(covers(live, applied) && ownsOnly(live, applied, manager));
}

/** Every field of `wanted` is in `live` with that value; lists must match item by item. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((item, index) => covers(live[index], item))
    );
  }
  if (!isRecord(wanted)) return sameJson(live ?? null, wanted ?? null);
  return (
    isRecord(live) && Object.entries(wanted).every(([key, value]) => value === undefined || covers(live[key], value))
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
