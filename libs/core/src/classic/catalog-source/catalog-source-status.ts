import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import { catalogConditions } from './catalog-conditions.js';
import { originOf, pollSchedule } from './catalog-source-spec.js';
import { IMAGE_TEMPLATE_ANNOTATION, type TemplateOutcome, templateProblem } from './image-template.js';

/** The ConfigMap that content was read from, and when. */
export type ReadConfigMap = Readonly<{
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  readAt: string;
}>;

export type FailureReason = 'RegistryServerError' | 'ConfigMapError';

/** The poller's knowledge of one catalog's content. Times are ISO 8601. */
export type CatalogState = Readonly<{
  /**
   * The image digest in use and the digest its content is served under; absent while none was ever loaded.
   */
  held?: Readonly<{ digest: string; since: string; content: string }>;
  /** The last refresh failed: why, since when, and when the next try is due. */
  failure?: Readonly<{ reason: FailureReason; message: string; since: string; nextTry: string }>;
  /** Parts of the content that could not be read and are not offered, one line each. */
  leftOut?: readonly string[];
  /** Last time the registry was asked for a newer digest. */
  polledAt?: string;
  configMap?: ReadConfigMap;
  /** The result of the annotation `olm.catalogImageTemplate`; absent until it is evaluated. */
  template?: TemplateOutcome;
}>;

export type StatusSettings = Readonly<{
  /** Base of the hub's content URLs, without a closing slash. */
  contentUrl: string;
  /**
   * OLM's own strictness: a failed refresh makes the catalog unhealthy at once (why: catalogs.md "A failed
   * refresh").
   */
  strict: boolean;
}>;

type Status = NonNullable<CatalogSource['status']>;

/**
 * Returns the status of a CatalogSource without a pod behind it (why: catalogs.md "A failed refresh",
 * "`connectionState` without a pod"). READY while content is held, even when a refresh failed:
 * then reason and message report it. CONNECTING before the first answer. TRANSIENT_FAILURE when nothing was
 * ever loaded. Fields of other writers stay unchanged. `now` is ISO 8601.
 */
export function catalogSourceStatus(
  source: CatalogSource,
  state: CatalogState,
  settings: StatusSettings,
  now: string,
): Status {
  const { message: _message, reason: _reason, conditions: _conditions, ...kept } = source.status ?? {};
  const conditions = catalogConditions(source, state.template, now, state.held?.digest);
  const conditioned = { ...kept, ...(conditions.length === 0 ? {} : { conditions: [...conditions] }) };
  const origin = originOf(source);
  if (origin.kind === 'invalid') {
    return {
      ...conditioned,
      reason: 'SpecInvalidError',
      message: clipMessage(invalidText(source, origin.message, state.template)),
    };
  }
  const { registryService: _service, configMapReference, ...rest } = conditioned;
  const reference = state.configMap === undefined ? configMapReference : referenceTo(state.configMap);
  return {
    ...rest,
    ...complaint(source, state, settings),
    ...(state.polledAt === undefined ? {} : { latestImageRegistryPoll: state.polledAt }),
    ...(origin.kind === 'grpc' ? { registryService: registryServiceOf(source, now) } : {}),
    ...(origin.kind === 'configMap' && reference !== undefined ? { configMapReference: reference } : {}),
    connectionState: connectionState(source, state, settings),
  };
}

/**
 * A source without image and address may have a template that gives none. The template is then the
 * cause, so it comes first.
 */
function invalidText({ metadata }: CatalogSource, message: string, template: TemplateOutcome | undefined): string {
  const text = metadata.annotations?.[IMAGE_TEMPLATE_ANNOTATION];
  return text && template?.resolved === false ? `${templateProblem(text, template)} (${message})` : message;
}

const referenceTo = ({ readAt, ...named }: ReadConfigMap) => ({ ...named, lastUpdateTime: readAt });

/**
 * True when the catalog may be resolved from (spec: catalog-sources.md §8; why: catalogs.md "A failed
 * refresh").
 */
export function isServing(state: CatalogState, strict: boolean): boolean {
  return state.held !== undefined && !(strict && state.failure !== undefined);
}

/** Leaves room for the start of the failure, the next check and the content that stays in use. */
const MAX_FAILURE_BYTES = 1_536;

function complaint(
  source: CatalogSource,
  state: CatalogState,
  settings: StatusSettings,
): Pick<Status, 'reason' | 'message'> {
  const { failure, held } = state;
  if (failure !== undefined) {
    const inUse =
      held !== undefined && !settings.strict
        ? `. The last good content (${held.digest}, held since ${held.since}) stays in use.`
        : '';
    // A ConfigMap is watched, so there is no next check to announce, and OLM's text is used unchanged. The
    // text says check, not try: an image is not pulled again while its digest is the one that failed.
    const timed = failure.reason !== 'ConfigMapError';
    const when = timed
      ? `; failing since ${failure.since}, next check ${failure.nextTry}${inUse === '' ? '.' : ''}`
      : '';
    return {
      reason: failure.reason,
      message: clipMessage(`${clipMessage(failure.message, MAX_FAILURE_BYTES)}${when}${inUse}`),
    };
  }
  const problem = pollSchedule(source)?.problem;
  const leftOut = leftOutText(state.leftOut ?? []);
  if (leftOut !== undefined) {
    const message = problem === undefined ? leftOut : `${leftOut}. ${problem}`;
    return { reason: BUNDLES_LEFT_OUT, message: clipMessage(message) };
  }
  return problem === undefined ? {} : { reason: 'InvalidIntervalError', message: problem };
}

/**
 * Reason of a catalog that is READY without some of its bundles (why: catalogs.md "Listings lose one
 * bundle").
 */
export const BUNDLES_LEFT_OUT = 'BundlesLeftOut';

/** Enough lines to show an author the mistake; all of them would fill the status. */
const LINES_SHOWN = 5;

function leftOutText(lines: readonly string[]): string | undefined {
  if (lines.length === 0) return undefined;
  const more = lines.length > LINES_SHOWN ? `; and ${lines.length - LINES_SHOWN} more` : '';
  return `left out: ${lines.slice(0, LINES_SHOWN).join('; ')}${more}`;
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

/** OLM writes this much for address sources, and users read it (spec: catalog-sources.md §6). */
const registryServiceOf = ({ status }: CatalogSource, now: string): NonNullable<Status['registryService']> =>
  status?.registryService ?? { protocol: 'grpc', createdAt: kubernetesTime(now) };
