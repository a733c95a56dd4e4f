import type { KubernetesObject } from './kubernetes-object.js';

/**
 * Annotation of a CatalogSource or ClusterCatalog, ours: the time at which a user asked to retry an image
 * that is not read again. An earlier failure no longer counts; a later one does.
 */
export const RETRIED_ANNOTATION = 'flotilla.dev/retry';

/** Tolerated lead of a user's clock. */
const MAX_AHEAD_MS = 5 * 60_000;

/** Returns when a user asked for another try, in milliseconds; undefined for a time in the future. */
export function retryAskedAt({ metadata }: Pick<KubernetesObject, 'metadata'>, now: number): number | undefined {
  const at = Date.parse(metadata.annotations?.[RETRIED_ANNOTATION] ?? '');
  return Number.isNaN(at) || at > now + MAX_AHEAD_MS ? undefined : Math.min(at, now);
}

/** True if the annotation has another value, and a user asks. */
export const isAskedAgain = (
  { metadata }: Pick<KubernetesObject, 'metadata'>,
  before: Pick<KubernetesObject, 'metadata'>,
): boolean => {
  const value = metadata.annotations?.[RETRIED_ANNOTATION];
  return value !== undefined && value !== before.metadata.annotations?.[RETRIED_ANNOTATION];
};
