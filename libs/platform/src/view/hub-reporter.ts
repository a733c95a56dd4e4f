import { HubRow } from '#core/view/rows/hub-row';
import type { Clock } from '../clock/clock.port.js';
import { Timers } from '../clock/timers.js';
import { inTime } from '../telemetry/in-time.js';
import type { Log } from '../telemetry/log.port.js';
import type { HubReports } from './view-store.port.js';

type HubReporterOptions = Readonly<{
  reports: HubReports;
  clock: Clock;
  log: Log;
  service: string;
  /** The process, unique in the hub. */
  instance: string;
  version: string;
  checks: () => Promise<HubRow['checks']>;
  /** The queues that the service works on. */
  queues: () => Promise<HubRow['queues']>;
  /** Clusters with the longest passes. */
  slowest: () => HubRow['slowest'];
  /** FleetClusterSources that the process keeps in step. Undefined if it keeps none. */
  sources: () => HubRow['sources'];
  /** Receivers of FleetNotifications. Undefined if the process is no notifier. */
  receivers: () => HubRow['receivers'];
}>;

const EVERY_MS = 5_000;
/** Counting the jobs of a queue takes a few commands of Redis for each of its parts. */
const COUNTED_EVERY = 3;
/** Age after which a report is of a killed process. */
const FORGOTTEN_AFTER_MS = 600_000;
const TIDIED_EVERY = 60;
/** A service that ends does not wait longer for Redis. */
const REMOVED_WITHIN_MS = 1_000;

/** Writes a service's report about itself every five seconds. The console's page Hub reads it. */
export class HubReporter {
  readonly #timers: Timers;
  #queues: HubRow['queues'] = [];
  #times = 0;
  #running: Promise<void> | undefined;

  constructor(private readonly options: HubReporterOptions) {
    this.#timers = new Timers(options.clock);
  }

  start(): void {
    // While Redis is away a report waits for it, and no other is made.
    const report = () => {
      this.#running ??= this.#report()
        .catch((error: unknown) => this.#note(error))
        .finally(() => {
          this.#running = undefined;
        });
    };
    report();
    this.#timers.every(EVERY_MS, report);
  }

  /** Removes the service from the page at once, if Redis answers. */
  async stop(): Promise<void> {
    this.#timers.stop();
    const { reports, instance } = this.options;
    const removed = async () => {
      await this.#running;
      await reports.remove(instance);
    };
    await inTime(REMOVED_WITHIN_MS, removed());
  }

  async #report(): Promise<void> {
    const { reports, clock, service, instance, version, checks, queues, slowest, sources, receivers } = this.options;
    if (this.#times % COUNTED_EVERY === 0) this.#queues = await queues();
    const now = clock.now();
    const kept = sources();
    const told = receivers();
    const row: HubRow = {
      service,
      instance,
      version,
      updatedAt: now.toISOString(),
      checks: await checks(),
      queues: this.#queues,
      slowest: slowest(),
      ...(kept && { sources: kept }),
      ...(told && { receivers: told }),
    };
    await reports.put(HubRow.parse(row));
    if (this.#times % TIDIED_EVERY === 0) await reports.forgetBefore(new Date(now.getTime() - FORGOTTEN_AFTER_MS));
    this.#times += 1;
  }

  /** Ignores the error: nothing waits for a report, and the next one comes by itself. */
  #note(error: unknown): void {
    this.options.log.debug({ error: String(error) }, 'could not report the service');
  }
}
