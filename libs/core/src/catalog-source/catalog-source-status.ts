import type { CatalogSource } from '../api/catalog-source.js';
import { originOf, pollSchedule } from './catalog-source-spec.js';

/** What the poller knows of one catalog's content. Times are ISO 8601. */
export type CatalogState = Readonly<{
  /** The image digest in use and the digest its content is served under; absent while none was ever loaded. */
  held?: Readonly<{ digest: string; since: string; content: string }>;
  /** The last refresh failed: why, since when, and when the next try is due. */
  failure?: Readonly<{ message: string; since: string; nextTry: string }>;
  /** Last time the registry was asked for a newer digest. */
  polledAt?: string;
}>;

export type StatusSettings = Readonly<{
  /** Base of the hub's content URLs, without a closing slash. */
  contentUrl: string;
  /** OLM's own strictness: a failed refresh makes the catalog unhealthy at once (decision 11). */
  strict: boolean;
}>;

type Status = NonNullable<CatalogSource['status']>;

/**
 * status of a CatalogSource without a pod behind it (decisions 11 and 12): READY while content is held, even when a refresh
 * failed (then reason and message say so); CONNECTING before the first answer; TRANSIENT_FAILURE when nothing was ever loaded.
 * Fields that are not ours stay as they were.
 */
export function catalogSourceStatus(source: CatalogSource, state: CatalogState, settings: StatusSettings): Status {
  const { message: _message, reason: _reason, ...kept } = source.status ?? {};
  const origin = originOf(source);
  if (origin.kind === 'invalid') return { ...kept, reason: 'SpecInvalidError', message: origin.message };
  return {
    ...kept,
    ...complaint(source, state, settings),
    ...(state.polledAt === undefined ? {} : { latestImageRegistryPoll: state.polledAt }),
    ...(origin.kind === 'grpc' ? { registryService: registryServiceOf(source, state) } : {}),
    connectionState: connectionState(source, state, settings),
  };
}

/** True when the catalog may be resolved from (spec: catalog-sources.md §8; decision 11). */
export function isServing(state: CatalogState, strict: boolean): boolean {
  return state.held !== undefined && !(strict && state.failure !== undefined);
}

function complaint(
  source: CatalogSource,
  state: CatalogState,
  settings: StatusSettings,
): Pick<Status, 'reason' | 'message'> {
  const { failure, held } = state;
  if (failure !== undefined) {
    const inUse =
      held !== undefined && !settings.strict
        ? ` The last good content (${held.digest}, held since ${held.since}) stays in use.`
        : '';
    return {
      reason: 'RegistryServerError',
      message: `${failure.message}; failing since ${failure.since}, next try ${failure.nextTry}.${inUse}`,
    };
  }
  const problem = pollSchedule(source)?.problem;
  return problem === undefined ? {} : { reason: 'InvalidIntervalError', message: problem };
}

function connectionState(
  source: CatalogSource,
  state: CatalogState,
  settings: StatusSettings,
): Status['connectionState'] {
  const origin = originOf(source);
  const lastObservedState = isServing(state, settings.strict)
    ? 'READY'
    : state.failure === undefined
      ? 'CONNECTING'
      : 'TRANSIENT_FAILURE';
  const address =
    origin.kind === 'grpc' ? origin.address : state.held && `${settings.contentUrl}/content/${state.held.content}`;
  const before = source.status?.connectionState;
  const unchanged = before?.lastObservedState === lastObservedState && before.address === address;
  const lastConnect = unchanged ? before.lastConnect : (state.failure?.since ?? state.held?.since);
  return {
    ...(address === undefined ? {} : { address }),
    lastObservedState,
    ...(lastConnect === undefined ? {} : { lastConnect }),
  };
}

/** OLM writes this much for address sources and users look at it (spec: catalog-sources.md §6). */
function registryServiceOf(source: CatalogSource, state: CatalogState): NonNullable<Status['registryService']> {
  const before = source.status?.registryService;
  if (before !== undefined) return before;
  return { protocol: 'grpc', createdAt: state.held?.since ?? state.failure?.since };
}
