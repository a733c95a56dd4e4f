import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';

/** A setting that poller and applier must agree on, with the value of each for one cluster. */
export type SettingValues = Readonly<{ setting: string; applier: string; poller: string }>;

const NAMED = 10;

/**
 * Settings that differ between the poller, as its stored problems show, and this applier. No solution of such
 * a problem fits the applier's reads, so nothing is installed in that cluster. This must be reported.
 */
export class PollerAgreement {
  readonly #differences = new Map<string, SettingValues>();

  /** `clusters`: how many the applier manages. */
  constructor(
    private readonly log: Pick<Log, 'error'>,
    private readonly clusters: () => number,
  ) {}

  readonly check: HealthCheck = {
    name: 'settings',
    check: async () => {
      const all = [...this.#differences];
      if (all.length === 0) return { up: true, detail: 'the poller has the same settings' };
      const shown = all.slice(0, NAMED).map(([cluster, values]) => `${cluster}: ${text(values)}`);
      const more = all.length > shown.length ? ` and ${all.length - shown.length} more clusters` : '';
      const detail = `poller and applier have different settings, so nothing is installed: ${shown.join('; ')}${more}`;
      return { up: all.length < this.clusters(), degraded: true, detail };
    },
  };

  /** The cluster has left. */
  forget(cluster: string): void {
    this.#differences.delete(cluster);
  }

  /** The problem of a namespace was made with this value. */
  note(cluster: string, values: SettingValues): void {
    if (values.applier === values.poller) {
      this.#differences.delete(cluster);
      return;
    }
    const known = this.#differences.get(cluster);
    this.#differences.set(cluster, values);
    if (known !== undefined && text(known) === text(values)) return;
    this.log.error({ cluster, ...values }, `poller and applier differ: ${text(values)}; nothing is installed`);
  }
}

const text = ({ setting, applier, poller }: SettingValues): string =>
  `${setting} is ${JSON.stringify(applier)} for the applier and ${JSON.stringify(poller)} for the poller: give both the same`;
