import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import type { Phase } from '../bundle-render/phases.js';

/** Replaces the values that are generated in each cluster. */
const GENERATED = '@generated';
/** Key of the authority in the Secrets with certificates that Flotilla issues. */
const AUTHORITY_KEY = 'olmCAKey';
const TLS = 'kubernetes.io/tls';

/**
 * Returns rendered objects without the parts that differ between clusters with the same content: certificates
 * that Flotilla issues, and the bundles of their authorities (design: fleet.md §3.1).
 */
export const reviewedPhases = (phases: readonly Phase[]): Phase[] =>
  phases.map(({ name, objects }) => ({ name, objects: objects.map(withoutCertificates) }));

/** Returns a hash of the rendered objects; equal for clusters that would run the same. */
export const reviewedHash = (phases: readonly Phase[]): string => canonicalHash(reviewedPhases(phases));

function withoutCertificates(object: KubernetesObject): KubernetesObject {
  if (isIssued(object)) return { ...object, data: GENERATED };
  return withoutAuthorities(object) as KubernetesObject;
}

const isIssued = (object: KubernetesObject): boolean =>
  object.kind === 'Secret' &&
  object['type'] === TLS &&
  Object.hasOwn((object['data'] as object | undefined) ?? {}, AUTHORITY_KEY);

function withoutAuthorities(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAuthorities);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    key === 'caBundle' && typeof one === 'string' ? GENERATED : withoutAuthorities(one),
  ]);
  return Object.fromEntries(entries);
}
