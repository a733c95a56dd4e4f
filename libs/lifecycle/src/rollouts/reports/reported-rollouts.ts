import { Inject, Injectable } from '@nestjs/common';
import { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { decisionsByRollout, type RolloutDecision } from '#core/view/rows/rollout-decision';
import { rolloutPaths, shownClasses } from '#core/view/rows/rollout-path';
import { type FleetRolloutRow, fleetRolloutRow } from '#core/view/rows/rollout-row';
import { Timers } from '#platform/clock/timers';
import { FleetStore } from '#platform/fleet/fleet-store';
import type { Hub } from '#platform/hub/hub';
import { FLEET_HUB, HUB } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { RolloutWriter } from '#platform/view/view-store.port';
import type { FleetPlanName } from '../assignments/fleet-plan-name.js';
import { storedRows } from '../assignments/stored-rollout.js';
import { WantedOperators } from '../previews/wanted-operators.js';
import { ClusterSteps } from './cluster-steps.js';
import { ReviewedPaths } from './reviewed-paths.js';
import { RowStates } from './row-states.js';

type ReportedRolloutsHub = Pick<Hub, 'clock' | 'log'> &
  Readonly<{
    /** The console reads them there; rows that are not written again within a minute are forgotten. */
    store: Readonly<{ view: RolloutWriter }>;
  }>;

/** Changes that come together are written together. */
const GATHER_MS = 1_000;
const AGAIN_MS = 15_000;
/** Ended rollouts that the page shows. */
const MOST_ENDED = 10;
const MOST = 200;

/** Shows the console the fleet's rollouts, as their statuses in the hub API say. */
@Injectable()
export class ReportedRollouts {
  readonly #store: FleetStore;
  /** A store of its own: rollouts are shown even if the hub API does not let this service read decisions. */
  readonly #decided: FleetStore;
  readonly #steps = new ClusterSteps();
  readonly #states = new RowStates();
  readonly #paths: ReviewedPaths;
  readonly #timers: Timers;
  readonly #subscriptions: (() => void)[] = [];
  #isDue = false;
  #writing: Promise<void> | undefined;

  constructor(
    @Inject(FLEET_HUB) client: KubeClient,
    @Inject(HUB) private readonly hub: ReportedRolloutsHub,
    @Inject(WantedOperators) wanted: Pick<WantedOperators, 'onAssignment'>,
  ) {
    const { clock, log } = hub;
    this.#paths = new ReviewedPaths({ hub: client, clock, log });
    wanted.onAssignment((cluster, assignment) => {
      const rows = assignment === undefined ? {} : storedRows(assignment);
      const hasOtherState = this.#states.note(cluster, rows);
      if (this.#steps.note(cluster, rows) || hasOtherState) this.#soon();
    });
    this.#timers = new Timers(clock);
    const kinds = ['FleetRollout', 'FleetOperator'];
    this.#store = new FleetStore({ client, clock, log, kinds, checkName: 'fleet-rollouts' });
    this.#decided = new FleetStore({ client, clock, log, kinds: ['FleetDecision'], checkName: 'fleet-decisions' });
  }

  get check(): HealthCheck {
    return this.#store.check;
  }

  start(): void {
    for (const store of [this.#store, this.#decided]) {
      this.#subscriptions.push(store.onMoved(() => this.#soon()));
      store.start();
      void store.whenSynced().then(() => this.#soon());
    }
    this.#timers.every(AGAIN_MS, () => this.#soon());
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    for (const end of this.#subscriptions) end();
    await this.#writing;
    await Promise.all([this.#store.stop(), this.#decided.stop()]);
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#timers.after(GATHER_MS, () => {
      this.#isDue = false;
      this.#writing ??= this.#report().finally(() => {
        this.#writing = undefined;
      });
    });
  }

  async #report(): Promise<void> {
    if (this.#store.problem !== undefined) return;
    try {
      const all = this.#all();
      const shown = this.#shown(all);
      const plans = shown.flatMap((rollout) => plansOf(rollout));
      if (await this.#paths.read(plans)) this.#soon();
      await this.hub.store.view.writeRollouts(this.#rows(shown, newestOf(all)));
    } catch (error) {
      this.hub.log.warn({ error: String(error) }, 'could not write the rollouts for the console');
    }
  }

  /** The newest first, and after them the newest of those that have ended. */
  #shown(all: readonly FleetRollout[]): readonly FleetRollout[] {
    const rollouts = all.toSorted(
      (a, b) => byCodeUnit(timesOf(b).startedAt, timesOf(a).startedAt) || byCodeUnit(nameOf(a), nameOf(b)),
    );
    const ended = rollouts.filter(isOver).slice(0, MOST_ENDED);
    return [...rollouts.filter((rollout) => !isOver(rollout)), ...ended].slice(0, MOST);
  }

  #all(): readonly FleetRollout[] {
    return this.#store.kept('FleetRollout').flatMap((kept) => FleetRollout.safeParse(kept.open()).data ?? []);
  }

  #rows(shown: readonly FleetRollout[], newest: ReadonlyMap<string, number>): readonly FleetRolloutRow[] {
    const packages = new Map<string, string>();
    for (const kept of this.#store.kept('FleetOperator')) {
      const operator = FleetOperator.safeParse(kept.open()).data;
      if (operator !== undefined) packages.set(nameOf(operator), operator.spec.package);
    }
    const decided = this.#decisions();
    const steps = this.#steps.byRollout();
    const changed = this.#states.changedBy();
    return shown.flatMap((rollout) => {
      const pathOf = (hash: string) => this.#paths.of(planOf(rollout, hash));
      const known = { pathOf, steps: steps.get(nameOf(rollout)) ?? [] };
      const beside = {
        packageOf: (name: string) => packages.get(`${rollout.metadata.namespace}/${name}`),
        decisions: decided && (decided.get(nameOf(rollout)) ?? []),
        paths: this.#paths.isRefused ? undefined : rolloutPaths(rollout, known),
        isNewest: newest.get(subjectOf(rollout)) === rollout.spec.number,
        changed: changed.get(nameOf(rollout)) ?? 0,
        gatesOf: this.#states.gatesOf(rollout),
      };
      return fleetRolloutRow(rollout, beside) ?? [];
    });
  }

  #decisions(): ReadonlyMap<string, readonly RolloutDecision[]> | undefined {
    if (this.#decided.problem !== undefined) return undefined;
    return decisionsByRollout(
      this.#decided.kept('FleetDecision').flatMap((kept) => FleetDecision.safeParse(kept.open()).data ?? []),
    );
  }
}

/** The highest number of a rollout of each subject. */
function newestOf(rollouts: readonly FleetRollout[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const rollout of rollouts) {
    const subject = subjectOf(rollout);
    newest.set(subject, Math.max(newest.get(subject) ?? 0, rollout.spec.number));
  }
  return newest;
}

const subjectOf = ({ metadata, spec: { subject } }: FleetRollout): string =>
  `${metadata.namespace}/${subject.kind}/${subject.name}`;

const nameOf = ({ metadata }: Pick<FleetRollout | FleetOperator, 'metadata'>): string =>
  `${metadata.namespace}/${metadata.name}`;

/** RFC 3339; empty: not yet. */
function timesOf({ status }: FleetRollout): Readonly<{ startedAt: string; finishedAt: string }> {
  const { startedAt = '', finishedAt = '' } = (status ?? {}) as Readonly<{ startedAt?: string; finishedAt?: string }>;
  return { startedAt, finishedAt };
}

const isOver = (rollout: FleetRollout): boolean => timesOf(rollout).finishedAt !== '';

const planOf = ({ metadata }: FleetRollout, hash: string): FleetPlanName => ({
  name: `${metadata.name}-${hash}`,
  namespace: metadata.namespace,
});
const plansOf = (rollout: FleetRollout) =>
  shownClasses(rollout).classes.map(({ hash }) => ({ ...planOf(rollout, hash), isOver: isOver(rollout) }));
