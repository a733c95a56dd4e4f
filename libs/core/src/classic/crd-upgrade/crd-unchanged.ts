import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { asList, asRecord } from '../../kernel/crd/loose-value.js';
import { schemaAsStored } from './crd-changes.js';

/** Fields of a CRD that hold schemas: of a version, and in v1beta1 next to the versions. */
const SCHEMAS: ReadonlySet<string> = new Set(['schema', 'validation']);

/**
 * True if the CRD would not change: its versions have the same schemas, and `live` has everything else in
 * `next`. The API server adds defaults to the objects it stores, but none to schemas.
 */
export const changesNothing = (live: KubernetesObject, next: KubernetesObject): boolean =>
  isContained(next['spec'], live['spec']);

function isContained(wanted: unknown, live: unknown): boolean {
  if (live === undefined && isOmitted(wanted)) return true;
  if (Array.isArray(wanted)) {
    const held = asList(live);
    return held.length === wanted.length && wanted.every((item, index) => isContained(item, held[index]));
  }
  if (wanted === null) return true;
  if (typeof wanted !== 'object' || typeof live !== 'object') return wanted === live;
  const held = asRecord(live);
  return Object.entries(wanted).every(([key, value]) => {
    if (SCHEMAS.has(key)) return stored(value) === stored(held[key]);
    return isContained(value, held[key]);
  });
}

/** True for values that the API server's types leave out, such as an empty `shortNames`. */
const isOmitted = (value: unknown): boolean =>
  value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);

const stored = (schema: unknown): string => canonicalJson(schemaAsStored(schema ?? null));
