import type { CatalogCondition, ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { isPaused, pausedText } from '../../kernel/api/paused-catalog.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { replaceCondition, transitioned } from '../../kernel/conditions/condition-list.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import type { CatalogFailure } from './catalog-failure.js';
import { desiredContentOf } from './cluster-catalog-spec.js';

/** The poller's knowledge of one ClusterCatalog's content. */
export type ServedState = Readonly<{
  /**
   * The content in use: canonical `name@digest`, the time it was unpacked, and the generation of the spec it
   * belongs to.
   */
  held?: Readonly<{ ref: string; unpacked: string; generation: number }>;
  /** The last refresh failed. */
  failure?: CatalogFailure;
  /** A try has ended, with success or failure. */
  settled: boolean;
}>;

/** Every condition of a ClusterCatalog. */
export const CLUSTER_CATALOG_CONDITIONS = ['Progressing', 'Serving'];

type ServedSettings = Readonly<{
  /** `<content URL of the hub>/clusters/<cluster>/catalogs/<name>` (decision 0137). */
  baseUrl: string;
  now: Date;
}>;

type Status = NonNullable<ClusterCatalog['status']>;
type Said = Pick<CatalogCondition, 'type' | 'status' | 'reason' | 'message'>;

const SWITCHED_OFF = 'Catalog availability mode is set to Unavailable';
const SUCCEEDED: Said = {
  type: 'Progressing',
  status: 'True',
  reason: 'Succeeded',
  message: 'Successfully unpacked and stored content from resolved source',
};
const SERVING: Said = {
  type: 'Serving',
  status: 'True',
  reason: 'Available',
  message: 'Serving desired content from resolved source',
};
const NOT_SERVING: Said = { type: 'Serving', status: 'False', reason: 'Unavailable', message: '' };

/**
 * Returns the status of a ClusterCatalog (spec: v1-catalog.md §1). A failed refresh leaves the fields about
 * the content in use unchanged. Until the first try has ended nothing changes. Conditions of other types are
 * removed, as in OLM.
 */
export function clusterCatalogStatus(catalog: ClusterCatalog, state: ServedState, settings: ServedSettings): Status {
  const { resolvedSource, urls, lastUnpacked, conditions, ...others } = catalog.status ?? {};
  const known = (conditions ?? []).filter(({ type }) => CLUSTER_CATALOG_CONDITIONS.includes(type));
  const generation = catalog.metadata.generation ?? 0;
  const withReported = (list: readonly CatalogCondition[], said: Said, of = generation) =>
    replaceCondition(
      list,
      transitioned(
        { ...said, observedGeneration: of, message: clipMessage(said.message) },
        list,
        kubernetesTime(settings.now),
      ),
    );
  if (desiredContentOf(catalog).kind === 'unavailable') {
    const progressing = withReported(known, { ...SUCCEEDED, message: SWITCHED_OFF });
    const serving = { ...NOT_SERVING, reason: 'UserSpecifiedUnavailable', message: SWITCHED_OFF };
    return { ...others, conditions: withReported(progressing, serving) };
  }
  if (!state.settled) return { ...catalog.status, ...(conditions === undefined ? {} : { conditions: known }) };
  const progressing = withReported(known, progressOf(catalog, state));
  const { held } = state;
  if (held !== undefined) {
    return {
      ...others,
      conditions: withReported(progressing, SERVING, held.generation),
      resolvedSource: { type: 'Image', image: { ref: held.ref } },
      urls: { base: settings.baseUrl },
      lastUnpacked: kubernetesTime(held.unpacked),
    };
  }
  // Written only over an earlier value: a catalog that never was served has no Serving condition in OLM.
  const servedBefore = known.some(({ type }) => type === 'Serving');
  return { ...others, conditions: servedBefore ? withReported(progressing, NOT_SERVING) : progressing };
}

function progressOf(catalog: ClusterCatalog, { failure, held }: ServedState): Said {
  if (failure === undefined) {
    if (!isPaused(catalog)) return SUCCEEDED;
    return { ...SUCCEEDED, message: `${SUCCEEDED.message}; ${pausedText(held?.ref)}` };
  }
  const { message, blocked } = failure;
  return blocked
    ? { type: 'Progressing', status: 'False', reason: 'Blocked', message }
    : { type: 'Progressing', status: 'True', reason: 'Retrying', message };
}
