import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { pollSchedule } from './catalog-source-spec.js';

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;
/** A user may be writing the pull secret right now, and Secrets are not watched. */
const SECRET_RETRY_MS = 30_000;
/** OLM keeps the listing of a registry server for 30 minutes (spec: catalog-sources.md §8). */
const ADDRESS_RELIST_MS = 30 * 60_000;
/** ConfigMaps are watched; this interval is for a hub that may not watch them. */
const CONFIG_MAP_REREAD_MS = 15 * 60_000;

/**
 * Milliseconds ±10 %, as OLM spreads its polls (spec: catalog-sources.md §1.3). `random` is from 0 up to 1.
 */
export const jittered = (ms: number, random: number): number => Math.round(ms * (0.9 + 0.2 * random));

/**
 * Milliseconds from the `failures`-th failure in a row (from 1) to the next try: 5 s,
 * doubling up to 5 minutes, ±10 %.
 */
export const retryDelay = (failures: number, random: number): number =>
  jittered(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 30)), random);

const FIRST_CONTENT_RETRY_MS = 10 * 60_000;
const LAST_CONTENT_RETRY_MS = 24 * 3_600_000;

/**
 * Milliseconds until unusable content is fetched again under the same digest: 10 minutes, doubling up to a
 * day. Another digest is fetched at once.
 */
export const failedContentDelay = (failures: number): number =>
  Math.min(LAST_CONTENT_RETRY_MS, FIRST_CONTENT_RETRY_MS * 2 ** Math.min(failures - 1, 30));

/** Longest wait of a failed source with pull secrets before its secrets are read again. */
export const secretRetryDelay = (source: CatalogSource, random: number): number =>
  (source.spec.secrets ?? []).some((name) => name !== '')
    ? jittered(SECRET_RETRY_MS, random)
    : Number.POSITIVE_INFINITY;

/** Milliseconds between two checks of a source's content. Undefined if the content is loaded only once. */
export function checkInterval(source: CatalogSource, kind: 'image' | 'grpc' | 'configMap'): number | undefined {
  if (kind === 'grpc') return ADDRESS_RELIST_MS;
  return kind === 'configMap' ? CONFIG_MAP_REREAD_MS : pollSchedule(source)?.everyMs;
}
