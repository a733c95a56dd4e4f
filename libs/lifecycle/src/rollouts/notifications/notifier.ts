import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { MOST_REPORTED, type ReceiverReport, receiverReports } from '#core/view/rows/receiver-report';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import { FleetStore, type KeptObject } from '#platform/fleet/fleet-store';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { JobQueue } from '#platform/queue/job-queue.port';
import { JOB_VERSION, type NotifyJob } from '#platform/queue/jobs';
import type { Health, HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import { NotificationPass, type NotificationPassOptions } from './notification-pass.js';

type NotifierOptions = Pick<NotificationPassOptions, 'send' | 'onAttempt'> &
  Readonly<{
    /** The hub API, as the notifier's own field manager. */
    hub: KubeClient;
    queue: JobQueue<NotifyJob>;
    clock: Clock;
    log: Log;
  }>;

const NOTIFICATION = 'FleetNotification';
const REF = { apiVersion: FLEET_API, kind: NOTIFICATION } as const;
const NOTED_KINDS = ['FleetRollout', 'FleetOperator', 'FleetCatalog', 'FleetCluster'] as const;
/** Changes of a moment are taken together. */
const SETTLE_MS = 1_000;
/** Logins end without a change of an object, and jobs may get lost. */
const CHECK_EVERY_MS = 60_000;
const UNWATCHED_MS = 1_000;

/**
 * Watches the fleet, and has a pass made over each FleetNotification after a change. The queue gives one pass
 * of a FleetNotification at a time to one process. The fleet is watched only while there is a
 * FleetNotification.
 */
export class Notifier {
  readonly #notifications: FleetStore;
  readonly #fleet: FleetStore;
  readonly #pass: NotificationPass;
  readonly #timers: Timers;
  #watchesFleet = false;
  #isDue = false;

  constructor(private readonly options: NotifierOptions) {
    const { hub: client, clock, log, send, onAttempt } = options;
    const common = { client, clock, log };
    this.#notifications = new FleetStore({ ...common, kinds: [NOTIFICATION], checkName: 'notifications' });
    this.#fleet = new FleetStore({ ...common, kinds: NOTED_KINDS, checkName: 'notifications' });
    this.#pass = new NotificationPass({ hub: client, clock, log, send, onAttempt });
    this.#timers = new Timers(clock);
  }

  readonly check: HealthCheck = { name: 'notifications', check: async () => this.#health() };

  /** Returns the receivers of all FleetNotifications, for the console. */
  reports(): ReceiverReport[] {
    const all = this.#notifications.kept(NOTIFICATION);
    return all.flatMap((one) => receiverReports({ ...one.open(), ...REF })).slice(0, MOST_REPORTED);
  }

  start(): void {
    this.#notifications.start();
    this.#notifications.onMoved(() => this.#wake());
    this.#fleet.onMoved(() => this.#wake());
    void this.#notifications.whenSynced().then(() => this.#wake());
    this.#timers.every(CHECK_EVERY_MS, () => this.#wake());
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await this.#notifications.stop();
    if (this.#watchesFleet) await this.#fleet.stop();
  }

  /** Runs the job of one FleetNotification. */
  async run(job: NotifyJob, signal: AbortSignal): Promise<void> {
    this.#watchFleet();
    // Facts of unknown objects would count as ended.
    if (this.#problem !== undefined) return this.options.queue.add(job, { delayMs: UNWATCHED_MS });
    const objects = {
      FleetRollout: this.#opened('FleetRollout'),
      FleetOperator: this.#opened('FleetOperator'),
      FleetCatalog: this.#opened('FleetCatalog'),
      FleetCluster: this.#opened('FleetCluster'),
    };
    const wakeAt = await this.#pass.over(job.notification, objects, signal);
    if (wakeAt === undefined) return;
    const delayMs = Math.max(1, wakeAt - this.options.clock.now().getTime());
    await this.options.queue.add(job, { delayMs });
  }

  #opened(kind: (typeof NOTED_KINDS)[number]) {
    return this.#fleet
      .kept(kind)
      .filter(({ metadata }) => !isBeingDeleted(metadata))
      .map((one: KeptObject) => ({ ...one.open(), apiVersion: FLEET_API, kind }));
  }

  get #problem(): string | undefined {
    return this.#notifications.problem ?? this.#fleet.problem;
  }

  #watchFleet(): void {
    if (this.#watchesFleet || this.#timers.stopped) return;
    this.#watchesFleet = true;
    this.#fleet.start();
  }

  #wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#timers.after(SETTLE_MS, () => {
      this.#isDue = false;
      void this.#enqueue();
    });
  }

  async #enqueue(): Promise<void> {
    try {
      for (const { metadata } of this.#notifications.kept(NOTIFICATION)) {
        await this.options.queue.add({ v: JOB_VERSION, notification: metadata.name ?? '' });
      }
    } catch (error) {
      this.options.log.warn({ error }, 'could not add a job of a FleetNotification: trying again');
      this.#wake();
    }
  }

  async #health(): Promise<Health> {
    const count = this.#notifications.kept(NOTIFICATION).length;
    const problem = this.#watchesFleet ? this.#problem : this.#notifications.problem;
    if (problem !== undefined) return { up: true, degraded: true, detail: problem };
    return { up: true, detail: `${count} FleetNotifications are followed` };
  }
}
