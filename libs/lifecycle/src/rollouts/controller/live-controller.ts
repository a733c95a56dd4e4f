import type { Clock } from '#platform/clock/clock.port';
import { NotLeading } from '#platform/fleet/fleet-client';
import { FleetStore } from '#platform/fleet/fleet-store';
import { LeaderLease } from '#platform/fleet/leader-lease';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Health, HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { RolloutFigures } from '#platform/telemetry/metrics/rollout-metrics';
import { decisionPolicyCheck } from './decision-policy-check.js';
import { RolloutController } from './rollout-controller.js';
import { AskedGates, type AskedGatesOptions } from './state/asked-gates.js';
import { ROLLOUT_KINDS } from './state/fleet-state.js';
import { StaleViewError } from './writes/hub-objects.js';

/** The Lease that lets one of several controllers act. */
export const CONTROLLER_LEASE = 'flotilla-fleet-controller';
/** Changes that come together are taken in together. */
const PASS_EVERY_MS = 250;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** While the watches are not up to date nothing is decided; this asks them, and sends no request. */
const UNWATCHED_MS = 1_000;
/** Clocks take no longer delays. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

type LiveControllerOptions = Readonly<{
  /** The hub API, as the controller's own field manager. */
  hub: KubeClient;
  /** Namespace of the Lease. */
  namespace: string;
  /** Names this process, and no other one. */
  identity: string;
  clock: Clock;
  log: Log;
  /** Called with the duration of a pass, in seconds. */
  onPass?: (seconds: number) => void;
  /** Asks gates outside of clusters. Absent: they do not answer. */
  askGate?: AskedGatesOptions['ask'];
  /** True if the hub API is a folder of files: users with write access to it decide. */
  isFolder?: boolean;
}>;

/**
 * Decides about rollouts as long as it runs. A pass follows each change of a fleet object, and the time that
 * the pass before asked for. One of several controllers acts; the others watch, and take over.
 */
export class LiveController {
  readonly #store: FleetStore;
  readonly #lease: LeaderLease;
  readonly #newController: () => RolloutController;
  /** The controller. Its memory of rollouts belongs to one history of the hub API. */
  #controller: RolloutController;
  #isOutdated = false;
  #unsubscribe: () => void = () => undefined;
  #cancel: () => void = () => undefined;
  /** Time at which the next pass is due. */
  #dueAt = Number.POSITIVE_INFINITY;
  #passedAt = Number.NEGATIVE_INFINITY;
  #passing: Promise<void> | undefined;
  #failures = 0;
  #trouble: string | undefined;
  #stopped = false;

  constructor(private readonly options: LiveControllerOptions) {
    const { hub, namespace, identity, clock, log, askGate } = options;
    const lease = new LeaderLease({
      ...{ client: hub, namespace, name: CONTROLLER_LEASE, identity, clock, log },
      onGained: () => this.#wake(0),
    });
    this.#lease = lease;
    const mayWrite = () => lease.isHeld && !this.#isOutdated;
    this.#store = new FleetStore({ client: hub, clock, log, kinds: ROLLOUT_KINDS, checkName: 'fleet', mayWrite });
    const gates = askGate && new AskedGates({ ask: askGate, clock, log });
    const source = async (kind: string) => this.#store.kept(kind);
    this.decisionCheck = decisionPolicyCheck(options);
    this.#newController = () => new RolloutController(this.#store.client, clock, log, source, gates);
    this.#controller = this.#newController();
    gates?.onAnswer(({ rollout, cluster }) => {
      this.#controller.noteNews(rollout, cluster);
      this.#wake(0);
    });
  }

  readonly check: HealthCheck = { name: 'rollouts', check: async () => this.#health() };
  readonly decisionCheck: HealthCheck;

  start(): void {
    this.#store.start();
    const unfollow = this.#store.onOtherHistory(() => this.#wentBack());
    const unsubscribe = this.#store.onMoved(() => this.#wake(0));
    this.#unsubscribe = () => {
      unfollow();
      unsubscribe();
    };
    this.#lease.start();
  }

  /** Ends after the pass that runs, and hands over to the next controller. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    this.#unsubscribe();
    await this.#passing;
    await this.#lease.stop();
    await this.#store.stop();
  }

  /** True if this process decides about rollouts. */
  get leads(): boolean {
    return this.#lease.isHeld;
  }

  /** Returns the progress of rollouts. Undefined while another process decides about them. */
  get figures(): RolloutFigures | undefined {
    return this.leads ? this.#controller.figures : undefined;
  }

  /** Stops the writes of the running pass. The next pass begins with the objects that the hub API has. */
  #wentBack(): void {
    this.#isOutdated = true;
    this.#wake(0);
  }

  #wake(inMs: number): void {
    const at = Math.max(this.#now() + inMs, this.#passedAt + PASS_EVERY_MS);
    if (this.#stopped || at >= this.#dueAt) return;
    this.#cancel();
    this.#dueAt = at;
    const delay = Math.min(Math.max(0, at - this.#now()), LONGEST_WAIT_MS);
    this.#cancel = this.options.clock.after(delay, () => this.#due());
  }

  #due(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#passing !== undefined) {
      // The next pass takes in changes that came during a pass.
      this.#wake(PASS_EVERY_MS);
      return;
    }
    this.#passing = this.#pass().finally(() => {
      this.#passing = undefined;
    });
  }

  async #pass(): Promise<void> {
    if (this.#stopped || !this.#lease.isHeld) return;
    if (this.#store.problem !== undefined) {
      this.#wake(UNWATCHED_MS);
      return;
    }
    if (this.#isOutdated) {
      this.#controller = this.#newController();
      this.#isOutdated = false;
    }
    const before = performance.now();
    try {
      const nextInMs = await this.#controller.pass();
      this.#failures = 0;
      this.#trouble = undefined;
      this.#passedAt = this.#now();
      if (nextInMs !== undefined) this.#wake(nextInMs);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.options.onPass?.((performance.now() - before) / 1_000);
    }
  }

  #failed(error: unknown): void {
    if (error instanceof NotLeading || error instanceof StaleViewError) {
      this.#wake(PASS_EVERY_MS);
      return;
    }
    this.#trouble = error instanceof Error ? error.message : String(error);
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 10));
    if (this.#failures === 0) this.options.log.warn({ error, againAfterMs: pause }, 'a pass over the rollouts failed');
    this.#failures += 1;
    this.#wake(pause);
  }

  async #health(): Promise<Health> {
    const problem = this.#store.problem ?? this.#lease.trouble ?? this.#trouble;
    if (problem !== undefined) return { up: false, detail: problem };
    if (this.leads) return { up: true, detail: 'decides rollouts' };
    const { holder } = this.#lease;
    return { up: true, detail: holder === '' ? 'waits for the lease' : `is a standby; ${holder} decides rollouts` };
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
