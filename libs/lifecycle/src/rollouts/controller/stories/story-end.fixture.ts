import type { RolloutRow } from '#core/rollout/controller/step/row';

/** The end of a story: in the hub API, and in the clusters. */
export type StoryEnd = Readonly<{
  statuses: Readonly<Record<string, unknown>>;
  rows: readonly string[];
  installed: readonly string[];
  decisions: readonly string[];
  events: readonly string[];
}>;

export const eventText = (event: object): string => {
  const { involvedObject, type, reason, message } = event as Readonly<Record<string, unknown>>;
  const { name } = involvedObject as Readonly<{ name: string }>;
  return `${name} ${type} ${reason}: ${message}`;
};

/**
 * Prints a row without numbers of its cluster that differ in each process, and without times of questions.
 * A gate outside answers after its question, and in a rehearsal at once.
 */
export function rowText(rollout: string, { identity: _, placedAt: __, order: ___, ...row }: RolloutRow): string {
  const text = JSON.stringify(row, (key, value: unknown) => (key === 'askedAt' ? undefined : value));
  const fields = Object.entries(JSON.parse(text) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${rollout} ${JSON.stringify(Object.fromEntries(fields))}`;
}

/** Drops condition Stalled: it follows from time alone, and a rehearsal ends with its last event. */
export function statusText(status: unknown): unknown {
  const { conditions = [], ...others } = (status ?? {}) as { conditions?: readonly { type: string }[] };
  return { ...others, conditions: conditions.filter(({ type }) => type !== 'Stalled') };
}

type Counted = Readonly<{ phase?: string; reason?: string; counts?: object; waves?: readonly Wave[] }>;
type Wave = Readonly<{ name: string; phase: string; reason: string }>;

/** An end without times and Events. A controller that is killed after a write acts later. */
export function withoutTimes({ statuses, rows, ...end }: StoryEnd): object {
  const untimed = Object.entries(statuses).map(([name, status]) => {
    const { phase, reason, counts, waves = [] } = status as Counted;
    return [name, { phase, reason, counts, waves: waves.map((wave) => `${wave.name} ${wave.phase} ${wave.reason}`) }];
  });
  const moved = rows.map((text) => {
    const [rollout = '', ...json] = text.split(' ');
    const { cluster, phase, reason, attempt } = JSON.parse(json.join(' ')) as Record<string, unknown>;
    return `${rollout} ${cluster} ${phase} ${reason} ${attempt}`;
  });
  const { installed, decisions } = end;
  return { statuses: Object.fromEntries(untimed) as object, rows: moved, installed, decisions };
}

/** An end without rollouts that wait for their turn, and without the time at which the others began. */
export function withoutBeginnings({ statuses, ...end }: StoryEnd): object {
  const begun = Object.entries(statuses).filter(([, status]) => (status as Counted).reason !== 'Queued');
  const later = begun.map(([name, status]) => {
    const { startedAt: _, conditions, ...others } = status as { startedAt: string; conditions: readonly object[] };
    const [{ lastTransitionTime: __, ...degraded }, ...further] = conditions as [Record<string, unknown>];
    return [name, { ...others, conditions: [degraded, ...further] }];
  });
  return { ...end, statuses: Object.fromEntries(later) as object };
}

const STATUS_TIMES: ReadonlySet<string> = new Set(['lastTransitionTime', 'movedAt', 'phaseSince']);

/** An end without times that are kept in statuses alone. */
export const withoutTransitions = ({ statuses, ...end }: StoryEnd): object => {
  const text = JSON.stringify(statuses, (key, value: unknown) => (STATUS_TIMES.has(key) ? undefined : value));
  return { ...end, statuses: JSON.parse(text) as object };
};
