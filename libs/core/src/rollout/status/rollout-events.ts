import type { FleetDecision } from '../../kernel/api/fleet/fleet-decision.js';
import type { DecisionEffects } from '../controller/step/decisions.js';
import type { RolloutStatus } from '../controller/step/rollout-state.js';

/** The content of a Kubernetes Event. */
export type RolloutEvent = Readonly<{ type: 'Normal' | 'Warning'; reason: string; message: string }>;

/** Phases of a rollout, or a wave, with trouble. */
const TROUBLE: ReadonlySet<string> = new Set(['Halted', 'RollingBack', 'RolledBack', 'Aborted']);
const typeOf = (phase: string) => (TROUBLE.has(phase) ? 'Warning' : 'Normal');

/** Returns the Event for a new phase of rollout `name`, if the phase has changed (design: fleet.md §4.4). */
export function phaseEvent(
  name: string,
  before: RolloutStatus | undefined,
  { phase, reason }: RolloutStatus,
): RolloutEvent | undefined {
  if (before?.phase === phase) return undefined;
  return { type: typeOf(phase), reason: phase, message: `rollout ${name} is ${phase}: ${reason}` };
}

/** The waves that are in another phase now, each with its name. */
export function waveEvents(
  before: RolloutStatus | undefined,
  after: RolloutStatus,
  names: readonly string[],
): readonly RolloutEvent[] {
  return after.waves.flatMap(({ phase, reason }, at) => {
    if (phase === (before?.waves[at]?.phase ?? 'Pending')) return [];
    return [{ type: typeOf(phase), reason: `Wave${phase}`, message: `wave ${names[at] ?? at} is ${phase}: ${reason}` }];
  });
}

/** Returns Events for classes with a lapsed approval, each with the additional changes. */
export function lapseEvents(before: RolloutStatus | undefined, { classes }: RolloutStatus): readonly RolloutEvent[] {
  return classes.flatMap(({ name, changes, state }) => {
    const was = before?.classes.find((one) => one.name === name);
    if (state.reason !== 'Lapsed' || was === undefined || was.state.reason === 'Lapsed') return [];
    const more = changes.filter((kind) => !was.changes.includes(kind)).join(', ');
    const message = `the approval of class ${name} has lapsed: it was given before ${more} was known; approve it again`;
    return [{ type: 'Warning' as const, reason: 'ApprovalLapsed', message }];
  });
}

/** An Event about a rollout. `isOfSubject`: its FleetOperator has the same Event. */
export type MovedEvent = RolloutEvent & Readonly<{ isOfSubject?: boolean }>;

/** Returns the Events of a rollout between two of its statuses. `waves`: their names. */
export function movedEvents(
  name: string,
  waves: readonly string[],
  { before, after }: Readonly<{ before: RolloutStatus | undefined; after: RolloutStatus }>,
): readonly MovedEvent[] {
  const phase = phaseEvent(name, before, after);
  const events = [...waveEvents(before, after, waves), ...lapseEvents(before, after)];
  return phase === undefined ? events : [...events, { ...phase, isOfSubject: true }];
}

/** Returns the Event for a decision and its effect. */
export function decisionEvent(
  { action, by, reason, wave }: FleetDecision['spec'],
  outcome: Pick<DecisionEffects, 'reason' | 'message'>,
): RolloutEvent {
  const isEffective = outcome.reason === 'Effective';
  const about = wave === undefined ? '' : ` of wave ${wave}`;
  const why = outcome.message === undefined ? outcome.reason : `${outcome.reason}: ${outcome.message}`;
  const effect = isEffective ? '' : `, without effect (${why})`;
  return {
    type: isEffective ? 'Normal' : 'Warning',
    reason: action,
    message: `${action}${about} by ${by.user}${effect}: ${reason}`,
  };
}
