import { Inject, Injectable } from '@nestjs/common';
import { Timers } from '#platform/clock/timers';
import type { Hub } from '#platform/hub/hub';
import { HUB, RANDOM } from '#platform/hub/hub-tokens';
import { type JoinReport, joinCluster, type Unjoined } from '#platform/joining/join-cluster';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';

/** Pause before a cluster that does not answer is tried again. */
const UNREACHED_MS = 30_000;
/**
 * Longest pause before a refused request is tried again; the pause doubles up to this one. A kind may be
 * served a moment later, and rights may be given at any time.
 */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** A definition that was made a moment ago is served soon. */
const AWAITED_MS = 5_000;
const NAMED = 5;

/**
 * Gives every cluster OLM's definitions and their companion objects: when it joins, and at every resync those
 * that are missing.
 */
@Injectable()
export class ClusterRegistration {
  readonly #refused = new Map<string, readonly Unjoined[]>();
  readonly #reported = new Map<string, string>();

  constructor(
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log' | 'settings'>,
    /** Spreads the next tries over time. */
    @Inject(RANDOM) private readonly random: () => number,
  ) {}

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

  /** The registration of one cluster, as a part of its membership. */
  partOf(client: KubeClient): ClusterPart {
    const timers = new Timers(this.hub.clock);
    const registered = { client, timers, refusals: 0, isTriedAgain: false };
    const join = () => this.#joinIn(0, registered);
    return {
      start: async () => join(),
      touchAll: () => undefined,
      resyncs: () => [{ name: 'registration', run: join }],
      stop: async () => timers.stop(),
      leave: async () => {
        timers.stop();
        this.#refused.delete(client.cluster);
        this.#reported.delete(client.cluster);
      },
    };
  }

  #joinIn(delayMs: number, registered: RegisteredCluster): void {
    const { hub, random } = this;
    const { client, timers } = registered;
    if (!hub.settings.joinInstall) return;
    timers.after(delayMs, () => {
      void this.#join(registered).catch((error: unknown) => {
        hub.log.debug({ cluster: client.cluster, error }, 'could not join cluster yet');
        this.#joinIn(UNREACHED_MS * (0.5 + random()), registered);
      });
    });
  }

  async #join(registered: RegisteredCluster): Promise<void> {
    const { client, timers } = registered;
    const report = await joinCluster(client);
    if (timers.stopped) return;
    this.#report(report);
    if (report.refused.length === 0) registered.refusals = 0;
    if (report.refused.length + report.awaited.length === 0 || registered.isTriedAgain) return;
    const isAwaited = report.refused.length === 0;
    const pauseMs = isAwaited ? AWAITED_MS : Math.min(UNREACHED_MS * 2 ** registered.refusals, LONGEST_PAUSE_MS);
    if (!isAwaited) registered.refusals += 1;
    registered.isTriedAgain = true;
    timers.after(pauseMs * (0.5 + this.random()), () => {
      registered.isTriedAgain = false;
      this.#joinIn(0, registered);
    });
  }

  #report({ cluster, installed, upgraded, left, refused, awaited }: JoinReport): void {
    const { log } = this.hub;
    this.#refused.set(cluster, refused);
    if (installed.length + upgraded.length > 0) log.info({ cluster, installed, upgraded }, 'cluster has joined');
    const short = JSON.stringify([left, refused, awaited]);
    if (short === (this.#reported.get(cluster) ?? '[[],[],[]]')) return;
    this.#reported.set(cluster, short);
    if (refused.length > 0) log.warn({ cluster, refused }, 'some CRDs were refused; continuing with the others');
    if (awaited.length > 0) log.info({ cluster, awaited }, 'waiting for new definitions to be served');
    if (left.length > 0)
      log.warn({ cluster, left }, 'kept newer CRDs of the cluster: those of the hub lack versions or fields');
  }
}

/** `refusals`: in a row. `isTriedAgain`: another try is due after a refusal. */
type RegisteredCluster = {
  readonly client: KubeClient;
  readonly timers: Timers;
  refusals: number;
  isTriedAgain: boolean;
};

function refusalText(refused: readonly Unjoined[]): string {
  const [first] = refused;
  const more = refused.length > 1 ? ` and ${refused.length - 1} more` : '';
  return `${first?.object}${more} could not be installed: ${first?.because.replaceAll(/\s+/g, ' ')}`;
}
