import type { Clock } from '../../clock/clock.port.js';
import type { HealthCheck } from '../health-check.js';
import type { Log, LogFields } from '../log.port.js';
import type { Metrics } from './metrics.js';

const LOG_AGAIN_AFTER_MS = 30_000;
const DEGRADED_FOR_MS = 3_600_000;

type RefusedValue = Readonly<{
  cluster: string;
  /** The kind of value, such as `solution`; one of a few. */
  what: string;
  /** Values of one read. Default 1. */
  count?: number;
  /** Fields of the log: the place of the value, and the reason why it is refused. */
  fields?: LogFields;
}>;

type Counted = { loggedAtMs: number; unlogged: number };

/**
 * Values in Redis that were not used, since services of this hub do not write such: they are forged, replayed
 * or damaged. Each is counted in the metrics; the log has the first of a kind, and from then on a line every
 * 30 s at most, with the count.
 */
export class RefusedValues {
  readonly #kinds = new Map<string, Counted>();
  #last: Readonly<{ what: string; cluster: string; atMs: number }> | undefined;
  #total = 0;

  constructor(
    private readonly log: Pick<Log, 'error'>,
    private readonly metrics: Pick<Metrics, 'valueRefused'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  note({ cluster, what, count = 1, fields = {} }: RefusedValue): void {
    const nowMs = this.clock.now().getTime();
    this.metrics.valueRefused(cluster, what, count);
    this.#total += count;
    this.#last = { what, cluster, atMs: nowMs };
    const known = this.#kinds.get(what) ?? { loggedAtMs: -Infinity, unlogged: 0 };
    known.unlogged += count;
    if (nowMs - known.loggedAtMs >= LOG_AGAIN_AFTER_MS) {
      const line = { cluster, ...fields, what, count: known.unlogged };
      this.log.error(line, 'refused values in Redis; nothing is installed from them');
      known.loggedAtMs = nowMs;
      known.unlogged = 0;
    }
    this.#kinds.set(what, known);
  }

  /** Degraded for an hour after a value was refused. */
  get check(): HealthCheck {
    return { name: 'values', check: async () => this.#health() };
  }

  #health() {
    const last = this.#last;
    const agoMs = this.clock.now().getTime() - (last?.atMs ?? -Infinity);
    if (last === undefined || agoMs > DEGRADED_FOR_MS) return { up: true, detail: 'no value in Redis was refused' };
    const detail =
      `${this.#total} values in Redis were refused since the start, the last one ${Math.round(agoMs / 1_000)} s ago ` +
      `(${last.what}, cluster ${last.cluster}): an unknown client writes to Redis, or a service of the hub was compromised`;
    return { up: true, degraded: true, detail };
  }
}
