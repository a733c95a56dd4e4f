import { type Log, silentLog } from '../../telemetry/log.port.js';
import { outagesOf } from '../../telemetry/outage-log.js';
import { isOutage, troubleOf } from '../errors/api-server-trouble.js';
import type { ReflectorOptions } from './reflector-options.js';

type WatchedKind = Pick<ReflectorOptions<never>, 'client' | 'kind' | 'clock' | 'options' | 'log'>;

/**
 * The trouble of one watch, said once per outage and not once per try. All watches of a cluster that is away
 * have one line together.
 */
export class WatchTrouble {
  readonly #log: Log;
  /** True if the log has the trouble of this watch alone. */
  #isSaid = false;
  /** The reason the watch is not up to date. Undefined while it is. */
  problem: string | undefined;

  constructor(private readonly watched: WatchedKind) {
    this.#log = watched.log ?? silentLog;
  }

  get fields() {
    const { client, kind } = this.watched;
    return { cluster: client.cluster, kind: kind.kind, apiVersion: kind.apiVersion };
  }

  report(error: unknown): void {
    const { client, clock } = this.watched;
    const outages = outagesOf(this.#log);
    this.problem = troubleOf(error);
    if (isOutage(error)) {
      outages.failed(client.cluster, this.#part, this.problem, clock.now().getTime());
      return;
    }
    outages.recovered(client.cluster, this.#part);
    if (!this.#isSaid) this.#log.warn({ ...this.fields, err: error }, 'a watch failed');
    this.#isSaid = true;
  }

  recovered(): void {
    if (this.problem === undefined) return;
    outagesOf(this.#log).recovered(this.watched.client.cluster, this.#part);
    if (this.#isSaid) this.#log.info(this.fields, 'the watch is up to date again');
    this.#isSaid = false;
    this.problem = undefined;
  }

  stopped(): void {
    if (this.problem !== undefined) outagesOf(this.#log).stopped(this.watched.client.cluster, this.#part);
  }

  get #part(): string {
    const { kind, options = {} } = this.watched;
    return `${kind.apiVersion} ${kind.kind} ${JSON.stringify(options)}`;
  }
}
