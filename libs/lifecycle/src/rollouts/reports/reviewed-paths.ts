import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { FleetPlanName } from '../assignments/fleet-plan-name.js';

type Path = FleetPlan['spec']['path'];
/** `isOver`: the path belongs to a rollout that has ended; no plan is added to it. */
type WantedPath = FleetPlanName & Readonly<{ isOver: boolean }>;

/** Requests at one time; the rest is read next. */
const AT_ONCE = 20;
/** Pause after an answer without the plan until it is asked for again. */
const AGAIN_MS = 15_000;
const keyOf = ({ namespace, name }: FleetPlanName): string => `${namespace}/${name}`;

/**
 * The paths of plan classes, as their FleetPlans have them. A plan is immutable and may be large: each is
 * read once, and its path alone is kept.
 */
export class ReviewedPaths {
  readonly #paths = new Map<string, Path>();
  readonly #missedAt = new Map<string, number>();
  #refusedAt: number | undefined;

  constructor(private readonly options: Readonly<{ hub: KubeClient; clock: Clock; log: Log }>) {}

  /** True if the hub API refuses this service reads of FleetPlans. */
  get isRefused(): boolean {
    return this.#refusedAt !== undefined;
  }

  of(plan: FleetPlanName): Path | undefined {
    return this.#paths.get(keyOf(plan));
  }

  /**
   * Reads plans that are wanted and not known, and forgets all others. Returns true if more must be read now.
   */
  async read(wanted: readonly WantedPath[]): Promise<boolean> {
    const keys = new Set(wanted.map(keyOf));
    for (const known of [this.#paths, this.#missedAt])
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    const now = this.options.clock.now().getTime();
    if (this.#refusedAt !== undefined && now < this.#refusedAt + AGAIN_MS) return false;
    const due = wanted.filter((one) => this.#isDue(one, now));
    try {
      await Promise.all(due.slice(0, AT_ONCE).map((one) => this.#readOne(one, now)));
      this.#refusedAt = undefined;
    } catch (error) {
      if (!this.isRefused) this.options.log.warn({ error: String(error) }, 'could not read the paths of plan classes');
      this.#refusedAt = now;
      return false;
    }
    return due.length > AT_ONCE;
  }

  #isDue(one: WantedPath, now: number): boolean {
    if (this.#paths.has(keyOf(one))) return false;
    const missedAt = this.#missedAt.get(keyOf(one));
    return missedAt === undefined || (!one.isOver && now >= missedAt + AGAIN_MS);
  }

  async #readOne(one: WantedPath, now: number): Promise<void> {
    const { namespace, name } = one;
    const found = await this.options.hub.get({ apiVersion: FLEET_API, kind: 'FleetPlan', namespace, name });
    const path = FleetPlan.safeParse(found).data?.spec.path;
    if (path === undefined) this.#missedAt.set(keyOf(one), now);
    else this.#paths.set(keyOf(one), path);
  }
}
