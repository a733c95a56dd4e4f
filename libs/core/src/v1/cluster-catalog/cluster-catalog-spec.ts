import type { ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { specProblem } from '../../kernel/verdict/unreadable-spec.js';
import { CATALOG_NAME_LABEL } from '../extension/catalog-query.js';

/** The origin of a ClusterCatalog's content, or the reason there is none (spec: v1-catalog.md §1). */
type DesiredContent =
  | Readonly<{ kind: 'image'; ref: string }>
  | Readonly<{ kind: 'unavailable' }>
  | Readonly<{ kind: 'invalid'; message: string }>;

export function desiredContentOf({ metadata, spec }: ClusterCatalog): DesiredContent {
  const problem = specProblem({ spec });
  if (problem !== undefined) return { kind: 'invalid', message: problem };
  if (spec.availabilityMode === 'Unavailable') return { kind: 'unavailable' };
  const { type, image } = spec.source;
  if (type !== 'Image') return { kind: 'invalid', message: `unknown source type ${JSON.stringify(type)}` };
  if (image === undefined) {
    const name = JSON.stringify(metadata.name ?? '');
    return { kind: 'invalid', message: `error parsing ClusterCatalog ${name}, image source is nil` };
  }
  return { kind: 'image', ref: image.ref };
}

/**
 * True if a reference names a digest: it has an `@` followed by a colon. Otherwise it names a tag (spec:
 * v1-catalog.md §1).
 */
export const isDigestReference = (ref: string): boolean => /@.*:/.test(ref);

/** Part of the interval that is left to chance, on top of it (spec: v1-catalog.md §1, reconcile rules). */
const POLL_JITTER = 0.01;

/**
 * Milliseconds from a successful poll to the next. Undefined if the catalog is not polled: no interval, a
 * digest, or no desired content. `random` is from 0 up to 1.
 */
export function pollDelayMs(catalog: ClusterCatalog, random: number): number | undefined {
  const desired = desiredContentOf(catalog);
  const minutes = catalog.spec.source.image?.pollIntervalMinutes;
  if (desired.kind !== 'image' || isDigestReference(desired.ref) || minutes === undefined || minutes < 1)
    return undefined;
  return Math.round(minutes * 60_000 * (1 + POLL_JITTER * random));
}

/**
 * Returns the merge patch that gives a catalog its name label, as OLM's webhook does. Undefined if the label
 * is right.
 */
export function nameLabelPatch({ metadata }: ClusterCatalog): Readonly<Record<string, unknown>> | undefined {
  if (metadata.deletionTimestamp !== undefined || metadata.labels?.[CATALOG_NAME_LABEL] === metadata.name)
    return undefined;
  return { metadata: { labels: { [CATALOG_NAME_LABEL]: metadata.name } } };
}

/**
 * Set by OLM's catalogd so that it can empty its cache. Our cache needs none
 * (decision 0109), so we never set it.
 */
const SERVER_FINALIZER = 'olm.operatorframework.io/delete-server-cache';

/**
 * Returns the merge patch that removes catalogd's finalizer from a deleted catalog. Undefined if there is
 * none to remove. Without it a cluster that Flotilla took over from OLM v1 would keep such catalogs forever.
 */
export function releasePatch({ metadata }: ClusterCatalog): Readonly<Record<string, unknown>> | undefined {
  const { deletionTimestamp, finalizers = [], resourceVersion } = metadata;
  if (deletionTimestamp === undefined || !finalizers.includes(SERVER_FINALIZER)) return undefined;
  return { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== SERVER_FINALIZER) } };
}
