import type { FleetEvent } from '../controller/record/event-log.js';
import { isFinal, type RolloutPhase } from '../controller/step/phases.js';
import { Agenda } from '../windows/agenda.js';
import type { LoggedRollout, LoggedRow } from './log-state.js';

/** A wave's rules for unreachable clusters. The grace is in seconds. */
export type OfflineRules = Readonly<{ offline: 'Skip' | 'Wait' | 'Fail'; offlineGrace: number }>;
type Watched = Readonly<{ rollout: LoggedRollout; cluster: string; wave: string; since: number }>;

const BEGUN = new Set(['Open', 'Soaking', 'Complete']);

/**
 * Checks, from the events alone, that unreachable clusters hold no rollout longer than the grace of a wave
 * that skips them (I12).
 */
export class OfflineCheck {
  readonly #since = new Map<string, number>();
  readonly #due = new Agenda<Watched>();
  #isDown = false;
  /** The instant at which a controller started. Its steps are not over before the instant has passed. */
  #upSince = 0;

  /** Records the events of clusters and of the controller. */
  world({ phase, cluster, t }: FleetEvent): void {
    if (phase === 'Offline') this.#since.set(cluster ?? '', t);
    if (phase === 'Online' || phase === 'Left') this.#since.delete(cluster ?? '');
    if (phase === 'Killed') this.#isDown = true;
    if (phase !== 'Started') return;
    this.#isDown = false;
    this.#upSince = t;
  }

  /** Watches a row that waits for an unreachable cluster, in a wave that has begun. */
  watch(rollout: LoggedRollout, cluster: string, rules: OfflineRules | undefined, t: number): void {
    const row = rollout.rows.get(cluster);
    const since = this.#since.get(cluster);
    if (row === undefined || since === undefined || rules?.offline !== 'Skip' || !isAway(row)) return;
    this.#due.note(Math.max(since + rules.offlineGrace, t), { rollout, cluster, wave: row.wave, since });
  }

  /** Clusters that hold their rollout although their grace was over before now. */
  overdue(t: number): readonly string[] {
    if (this.#isDown || t <= this.#upSince) return [];
    const found: string[] = [];
    for (let at = this.#due.nextAt; at !== undefined && at < t; at = this.#due.nextAt) {
      const watched = this.#due.take();
      if (watched !== undefined && this.#holds(watched)) found.push(watched.cluster);
    }
    return found;
  }

  #holds({ rollout, cluster, wave, since }: Watched): boolean {
    const row = rollout.rows.get(cluster);
    const isOver = isFinal(rollout.phase as RolloutPhase) && rollout.phase !== 'Completed';
    if (row === undefined || isOver || row.wave !== wave || !isAway(row)) return false;
    return this.#since.get(cluster) === since && BEGUN.has(rollout.waves.get(wave)?.phase ?? '');
  }
}

const isAway = ({ phase, reason }: LoggedRow): boolean =>
  (phase === 'Waiting' && reason === 'Offline') || reason === 'Unreachable';
