import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { parseGoDuration } from '../../kernel/durations/go-duration.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { specProblem } from '../../kernel/verdict/unreadable-spec.js';

/** Default interval, used if `registryPoll` is set without a usable one (spec: catalog-sources.md §1.3). */
const DEFAULT_POLL_INTERVAL_MS = 15 * 60_000;

/**
 * The origin of a CatalogSource's content, or the reason its spec is refused (spec: catalog-sources.md §1.1,
 * §3).
 */
export type CatalogOrigin =
  | Readonly<{ kind: 'image'; image: string }>
  | Readonly<{ kind: 'grpc'; address: string }>
  | Readonly<{ kind: 'configMap'; name: string }>
  | Readonly<{ kind: 'invalid'; message: string }>;

const invalid = (message: string): CatalogOrigin => ({ kind: 'invalid', message });

/** Image wins over address, as in OLM. */
export function originOf(source: CatalogSource): CatalogOrigin {
  const problem = specProblem(source);
  if (problem !== undefined) return invalid(problem);
  const { sourceType, image, address, configMap } = source.spec;
  if (sourceType === 'configmap' || sourceType === 'internal') {
    return configMap
      ? { kind: 'configMap', name: configMap }
      : invalid(`configmap name unset: must be set for sourcetype: ${sourceType}`);
  }
  if (sourceType !== 'grpc') return invalid(`unknown sourcetype: ${sourceType}`);
  if (image) return { kind: 'image', image };
  if (address) return { kind: 'grpc', address };
  return invalid('image and address unset: at least one must be set for sourcetype: grpc');
}

/**
 * Interval at which the registry is asked for a newer image. `problem` is the text for the user if the
 * interval was unusable.
 */
type PollSchedule = Readonly<{ everyMs: number; problem?: string }>;

const noDuration = (interval: unknown): string => `time: invalid duration ${JSON.stringify(interval)}`;

/**
 * Returns undefined if the source does not poll: it has no `registryPoll` or no image (spec:
 * catalog-sources.md §1.3).
 */
export function pollSchedule(source: CatalogSource): PollSchedule | undefined {
  const poll: unknown = source.spec.updateStrategy?.registryPoll;
  if (!isRecord(poll) || originOf(source).kind !== 'image') return undefined;
  const interval = poll['interval'] ?? '';
  const parsed = typeof interval === 'string' ? parseGoDuration(interval) : { error: noDuration(interval) };
  if ('ms' in parsed && parsed.ms > 0) return { everyMs: parsed.ms };
  const error = 'error' in parsed ? parsed.error : noDuration(interval);
  const problem = `error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: ${error}`;
  return { everyMs: DEFAULT_POLL_INTERVAL_MS, problem };
}
