import { Timers } from '#platform/clock/timers';
import type { Hub } from '#platform/hub/hub';
import { type JoinReport, joinCluster, type Unjoined } from '#platform/joining/join-cluster';
import type { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';

export type ClusterRegistrationOptions = Readonly<{
  hub: Pick<Hub, 'clock' | 'log' | 'settings'>;
  clients: readonly KubeClient[];
  detectors: Pick<OlmDetectors, 'status' | 'againAfterMs'>;
  /** Evenly from 0 up to 1: spreads the registrations of a fleet over time. */
  random: () => number;
}>;

/**
 * A thousand connections are not opened at once: time for each cluster, in which the first
 * registrations are spread.
 */
const SPREAD_MS = 20;
/** A cluster that does not answer is tried again after so long. */
const UNREACHED_MS = 30_000;
const NAMED = 5;

/**
 * Gives every cluster OLM's definitions and their companion objects: at the start, and at every resync those
 * that are missing. Clusters that are left to OLM are left alone, until it has gone.
 */
export class ClusterRegistration {
  readonly #refused = new Map<string, readonly Unjoined[]>();
  readonly #told = new Map<string, string>();
  readonly #timers: Timers;

  constructor(private readonly options: ClusterRegistrationOptions) {
    this.#timers = new Timers(options.hub.clock);
  }

  /** A cluster that lacks some of them is still managed, as far as possible. */
  readonly check: HealthCheck = {
    name: 'joining',
    check: async () => {
      const short = [...this.#refused].filter(([, refused]) => refused.length > 0);
      if (short.length === 0) return { up: true, detail: 'nothing was refused on joining' };
      const more = short.length > NAMED ? ` and ${short.length - NAMED} more clusters` : '';
      const named = short.slice(0, NAMED).map(([cluster, refused]) => `${cluster}: ${refusalText(refused)}`);
      return { up: true, degraded: true, detail: `${named.join('; ')}${more}` };
    },
  };

  start(): void {
    const { hub, clients, random } = this.options;
    if (!hub.settings.joinInstall) return;
    const spreadMs = clients.length * SPREAD_MS;
    for (const client of clients) this.#timers.repeat(spreadMs * random(), () => this.#join(client));
  }

  stop(): void {
    this.#timers.stop();
  }

  /** Answers in how many milliseconds to check again. */
  async #join(client: KubeClient): Promise<number> {
    const { cluster } = client;
    const { hub, detectors } = this.options;
    try {
      const { acts } = await detectors.status(cluster);
      if (!acts) return detectors.againAfterMs(cluster);
      this.#tell(await joinCluster(client));
      return this.#resyncMs();
    } catch (error) {
      hub.log.debug({ cluster, error }, 'cluster could not be joined yet');
      return UNREACHED_MS * (0.5 + this.options.random());
    }
  }

  #tell({ cluster, installed, upgraded, left, refused }: JoinReport): void {
    const { log } = this.options.hub;
    this.#refused.set(cluster, refused);
    if (installed.length + upgraded.length > 0) log.info({ cluster, installed, upgraded }, 'cluster has joined');
    const short = JSON.stringify([left, refused]);
    if (short === (this.#told.get(cluster) ?? '[[],[]]')) return;
    this.#told.set(cluster, short);
    if (refused.length > 0) log.warn({ cluster, refused }, 'not everything could be installed; the rest goes on');
    if (left.length > 0)
      log.warn({ cluster, left }, 'definitions in the cluster stay as they are: ours would take from them');
  }

  #resyncMs(): number {
    const { resyncInterval, resyncJitterPercent } = this.options.hub.settings;
    return resyncInterval * (1 + (resyncJitterPercent / 100) * (2 * this.options.random() - 1));
  }
}

function refusalText(refused: readonly Unjoined[]): string {
  const [first] = refused;
  const more = refused.length > 1 ? ` and ${refused.length - 1} more` : '';
  return `${first?.object}${more} could not be installed: ${first?.because.replaceAll(/\s+/g, ' ')}`;
}
