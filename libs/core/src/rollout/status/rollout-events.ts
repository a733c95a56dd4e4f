import type { FleetDecision } from '../../kernel/api/fleet/fleet-decision.js';
import type { DecisionEffects } from '../controller/step/decisions.js';
import type { RolloutStatus } from '../controller/step/rollout-state.js';

/** What a Kubernetes Event says. */
export type RolloutEvent = Readonly<{ type: 'Normal' | 'Warning'; reason: string; message: string }>;

/** Phases in which a roll-out, or a wave, did not go as it was meant to. */
const TROUBLE: ReadonlySet<string> = new Set(['Halted', 'RollingBack', 'RolledBack', 'Aborted']);
const typeOf = (phase: string) => (TROUBLE.has(phase) ? 'Warning' : 'Normal');

/** The phase in which roll-out `name` is now, where that is another one (design: fleet.md §4.4). */
export function phaseEvent(
  name: string,
  before: RolloutStatus | undefined,
  { phase, reason }: RolloutStatus,
): RolloutEvent | undefined {
  if (before?.phase === phase) return undefined;
  return { type: typeOf(phase), reason: phase, message: `roll-out ${name} is ${phase}: ${reason}` };
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

/** The classes whose approval has lapsed, each with what it changes more. */
export function lapseEvents(before: RolloutStatus | undefined, { classes }: RolloutStatus): readonly RolloutEvent[] {
  return classes.flatMap(({ name, changes, state }) => {
    const was = before?.classes.find((one) => one.name === name);
    if (state.reason !== 'Lapsed' || was === undefined || was.state.reason === 'Lapsed') return [];
    const more = changes.filter((kind) => !was.changes.includes(kind)).join(', ');
    const message = `the approval of class ${name} has lapsed: it was given before ${more} was known; approve it again`;
    return [{ type: 'Warning' as const, reason: 'ApprovalLapsed', message }];
  });
}

/** A decision, and what became of it. */
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
