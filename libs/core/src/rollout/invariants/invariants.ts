import type { ClusterShare, Threshold } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetEvent } from '../controller/record/event-log.js';
import { isTransition, type RowPhase } from '../controller/step/phases.js';
import { placesOf, thresholdOf } from '../placement/waves.js';
import { isFailureAfter, LoggedRollout, type LoggedRow } from './log-state.js';
import { OfflineCheck, type OfflineRules } from './offline-check.js';

/** The rules of a rollout. Everything else is read from its events. */
export type LoggedRules = Readonly<{
  subject: string;
  /** Two rollouts of one place exclude each other in a cluster. */
  place: string;
  rollbackConcurrency: ClusterShare;
  chosen: () => number;
  returnBlocked: string | undefined;
  waves: ReadonlyMap<
    string,
    OfflineRules &
      Readonly<{ failureThreshold: Threshold; soak: number; requireSuccesses: number; maxConcurrent: ClusterShare }>
  >;
}>;

export type InvariantFacts = Readonly<{
  rules: (rollout: string) => LoggedRules | undefined;
  /** True if windows hold the cluster now, by their own times. */
  isHeld: (rollout: string, cluster: string, isStart: boolean) => boolean;
  /** True if users of the cluster have installed the bundle themselves. Absent: they never do. */
  isByHand?: (cluster: string, subject: string, bundle: string | null) => boolean;
}>;

/** An invariant that does not hold after an event. */
type InvariantViolation = Readonly<{ id: string; seq: number; message: string }>;

const COUNTERS = {
  waiting: 'Waiting',
  applying: 'Applying',
  verifying: 'Verifying',
  done: 'Done',
  failed: 'Failed',
  rollingBack: 'RollingBack',
  rolledBack: 'RolledBack',
  skipped: 'Skipped',
} as const;
/** Matches text that resembles a private key, a token or a password in an address. */
const CREDENTIAL = /-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer \S{8}|\beyJ[\w-]{8,}\.eyJ|:\/\/[^\s/:@]+:[^\s/@]+@/;
const isCredential = (text: string): boolean => CREDENTIAL.test(text);
const numberOf = (rollout: string): number => Number(/-(\d+)$/.exec(rollout)?.[1] ?? 0);
const MOST_VIOLATIONS = 100;

/** Holds the events of a run against the invariants, one by one, seen from the events alone. */
export class InvariantCheck {
  readonly violations: InvariantViolation[] = [];
  checked = 0;
  readonly #rollouts = new Map<string, LoggedRollout>();
  readonly #closed = new Map<string, Set<string>>();
  /** Rows with a target that was rolled back, until a decision. */
  readonly #denied = new Set<string>();
  /** Clusters and subjects that a write has concerned. */
  readonly #written = new Set<string>();
  readonly #offline = new OfflineCheck();

  constructor(readonly facts: InvariantFacts) {}

  /** Takes in the next event. */
  watch(event: FleetEvent): void {
    const overdue = this.#offline.overdue(event.t);
    for (const cluster of overdue) this.#check('I12', event, false, () => `${cluster}: is away, and still waited for`);
    if (event.message !== '') this.#check('I24', event, !isCredential(event.message), () => 'shows a credential');
    if (event.kind === 'cluster') this.#cluster(event);
    else if (event.kind === 'wave') this.#wave(event);
    else if (event.kind === 'rollout') this.#rollout(event);
    else if (event.kind === 'class') this.#of(event).classes.set(event.class ?? '', event.phase);
    else if (event.kind === 'decision') this.#decision(event);
    else if (event.kind === 'write') this.#write(event);
    else if (event.kind === 'world') this.#world(event);
    else this.#controller(event);
  }

  #controller(event: FleetEvent): void {
    this.#offline.world(event);
    if (event.phase === 'AssignmentsLost') for (const rollout of this.#rollouts.values()) rollout.forgetRows();
  }

  #of({ rollout }: FleetEvent): LoggedRollout {
    const known = this.#rollouts.get(rollout ?? '') ?? new LoggedRollout();
    this.#rollouts.set(rollout ?? '', known);
    return known;
  }

  #check(id: string, { seq }: FleetEvent, holds: boolean, message: () => string): void {
    this.checked++;
    if (!holds && this.violations.length < MOST_VIOLATIONS) this.violations.push({ id, seq, message: message() });
  }

  #cluster(event: FleetEvent): void {
    const rollout = this.#of(event);
    const cluster = event.cluster ?? '';
    const before = rollout.rows.get(cluster);
    const phase = event.phase as RowPhase;
    const wave = event.wave ?? '';
    const place = `${event.rollout} ${cluster}`;
    this.#check(
      'I9',
      event,
      (before?.phase ?? null) === event.from,
      () => `${place}: from ${event.from} is not where it was`,
    );
    const from = event.from as RowPhase | null;
    this.#check(
      'I9',
      event,
      isTransition(from, phase, event.reason),
      () => `${place}: ${from} → ${phase} (${event.reason})`,
    );
    const rules = this.facts.rules(event.rollout ?? '');
    this.#check('I2', event, rules?.waves.has(wave) === true, () => `${place}: is in no wave`);
    const isFailure = isFailureAfter(before, event);
    const row: LoggedRow = {
      wave,
      phase,
      reason: event.reason,
      class: event.class,
      attempt: event.attempt ?? 0,
      isFailure,
    };
    const isStart = phase === 'Applying' && from !== 'Applying' && event.reason !== 'Rebuilt';
    const isHop = phase === 'Applying' && event.reason === 'Hop';
    if (isStart || isHop) this.#starts(event, rollout, isStart);
    rollout.move(cluster, row);
    this.#watchOffline(event, rollout, wave, [cluster]);
    this.#places(event, rollout, isStart);
    if (phase === 'Done' && event.reason === 'Healthy') {
      const logged = rollout.waves.get(wave);
      if (logged !== undefined) logged.lastSuccessAt = event.t;
    }
    if (phase === 'RollingBack') this.#return(event, rollout);
  }

  #watchOffline(event: FleetEvent, rollout: LoggedRollout, wave: string, clusters: Iterable<string>): void {
    const rules = this.facts.rules(event.rollout ?? '')?.waves.get(wave);
    for (const cluster of clusters) this.#offline.watch(rollout, cluster, rules, event.t);
  }

  /** Checks the conditions before a start, or a hop, of a cluster. */
  #starts(event: FleetEvent, rollout: LoggedRollout, isStart: boolean): void {
    const rules = this.facts.rules(event.rollout ?? '');
    const cluster = event.cluster ?? '';
    const place = `${event.rollout} ${cluster}`;
    const isHeld = this.facts.isHeld(event.rollout ?? '', cluster, isStart);
    this.#check('I6', event, !isHeld, () => `${place}: a window holds it`);
    const over = [...(rules?.waves ?? [])].find(
      ([name, { failureThreshold }]) => rollout.failures(name) > thresholdOf(failureThreshold, rollout.members(name)),
    );
    this.#check('I10', event, over === undefined, () => `${place}: wave ${over?.[0]} is over its threshold`);
    if (!isStart) return;
    const earlier = [...(rules?.waves.keys() ?? [])].slice(
      0,
      [...(rules?.waves.keys() ?? [])].indexOf(event.wave ?? ''),
    );
    const open = earlier.find((name) => rollout.waves.get(name)?.phase !== 'Complete');
    this.#check('I4', event, open === undefined, () => `${place}: wave ${open} is not Complete`);
    const approval = event.class === null ? 'NotNeeded' : rollout.classes.get(event.class);
    const isApproved = approval === 'NotNeeded' || approval === 'Approved';
    this.#check('I5', event, isApproved, () => `${place}: class ${event.class} is ${approval}`);
    const other = this.#otherRollout(event.rollout ?? '', cluster);
    this.#check('I17', event, other === undefined, () => `${place}: ${other} is in flight there`);
    const newer = this.#newerTarget(event);
    this.#check('I13', event, newer === undefined, () => `${place}: ${newer} has a newer target`);
    const denied = this.#denied.has(`${event.rollout}/${cluster}`);
    this.#check('I19', event, !denied, () => `${place}: ${event.bundle} was taken back there`);
  }

  /** A newer rollout of the subject that is active or Completed. */
  #newerTarget({ rollout, subject }: FleetEvent): string | undefined {
    const number = numberOf(rollout ?? '');
    const found = [...this.#rollouts].find(
      ([name, other]) => other.subject === subject && numberOf(name) > number && (other.isActive || other.isStanding),
    );
    return found?.[0];
  }

  #otherRollout(name: string, cluster: string): string | undefined {
    const place = this.facts.rules(name)?.place;
    for (const [other, { rows }] of this.#rollouts) {
      if (other === name || this.facts.rules(other)?.place !== place) continue;
      const phase = rows.get(cluster)?.phase;
      if (phase === 'Applying' || phase === 'Verifying' || phase === 'RollingBack') return other;
    }
    return undefined;
  }

  #places(event: FleetEvent, rollout: LoggedRollout, isStart: boolean): void {
    const wave = event.wave ?? '';
    const inFlight = rollout.count(wave, 'Applying') + rollout.count(wave, 'Verifying');
    const place = `${event.rollout} ${wave}`;
    this.#check(
      'I3',
      event,
      inFlight === event.inFlight,
      () => `${place}: ${inFlight} in flight, not ${event.inFlight}`,
    );
    if (isStart)
      this.#check('I3', event, inFlight <= (event.limit ?? 0), () => `${place}: ${inFlight} of ${event.limit}`);
  }

  #return(event: FleetEvent, rollout: LoggedRollout): void {
    const rules = this.facts.rules(event.rollout ?? '');
    if (rules === undefined) return;
    const running = rollout.total('RollingBack');
    const limit = placesOf(rules.rollbackConcurrency, Math.max(1, rules.chosen()));
    this.#check('I3', event, running <= limit, () => `${event.rollout}: ${running} go back, of ${limit}`);
    const isBlocked = rules.returnBlocked !== undefined;
    this.#check('I18', event, !isBlocked, () => `${event.rollout} ${event.cluster}: ${rules.returnBlocked}`);
  }

  #counts(event: FleetEvent, of: (phase: string) => number): void {
    const { counts } = event;
    if (counts === null) return;
    const sum = Object.keys(COUNTERS).reduce((total, key) => total + counts[key as keyof typeof COUNTERS], 0);
    const place = `${event.rollout} ${event.wave ?? ''}`;
    this.#check('I1', event, sum === counts.targets, () => `${place}: ${sum} clusters of ${counts.targets}`);
    for (const [key, phase] of Object.entries(COUNTERS)) {
      const [is, logged] = [counts[key as keyof typeof COUNTERS], of(phase)];
      this.#check('I1', event, is === logged, () => `${place}: ${key} is ${is}, and ${logged} by the events`);
    }
  }

  #wave(event: FleetEvent): void {
    const rollout = this.#of(event);
    const name = event.wave ?? '';
    const wave = rollout.waves.get(name) ?? { phase: '', reason: '', openedAt: undefined, lastSuccessAt: undefined };
    if (event.phase === 'Open' && wave.openedAt === undefined) wave.openedAt = event.t;
    if (event.phase === 'Complete' && wave.phase !== 'Complete') this.#completes(event, rollout, name);
    Object.assign(wave, { phase: event.phase, reason: event.reason });
    rollout.waves.set(name, wave);
    if (event.phase === 'Open') {
      const members = [...rollout.rows].filter(([, row]) => row.wave === name).map(([cluster]) => cluster);
      this.#watchOffline(event, rollout, name, members);
    }
    this.#counts(event, (phase) => rollout.count(name, phase));
  }

  #completes(event: FleetEvent, rollout: LoggedRollout, name: string): void {
    const rules = this.facts.rules(event.rollout ?? '')?.waves.get(name);
    if (rules === undefined || event.reason === 'Empty') return;
    const place = `${event.rollout} ${name}`;
    const members = rollout.members(name);
    const failures = rollout.failures(name);
    const isWithin = failures <= thresholdOf(rules.failureThreshold, members);
    this.#check('I11', event, isWithin, () => `${place}: ${failures} failures`);
    if (event.reason === 'Promoted') return;
    const done = rollout.count(name, 'Done');
    const isEnough = done >= Math.min(rules.requireSuccesses, members);
    this.#check('I11', event, isEnough, () => `${place}: ${done} successes`);
    const { lastSuccessAt, openedAt } = rollout.waves.get(name) ?? {};
    const since = lastSuccessAt ?? openedAt ?? event.t;
    const isSoaked = Math.round((event.t - since) * 1000) >= rules.soak;
    this.#check('I11', event, isSoaked, () => `${place}: soaked ${event.t - since}s`);
  }

  #rollout(event: FleetEvent): void {
    const rollout = this.#of(event);
    rollout.phase = event.phase;
    rollout.reason = event.reason;
    rollout.subject = event.subject ?? '';
    this.#counts(event, (phase) => rollout.total(phase));
    if (!rollout.isActive) return;
    const other = [...this.#rollouts].find(
      ([name, { isActive, subject }]) => name !== event.rollout && subject === event.subject && isActive,
    );
    this.#check('I17', event, other === undefined, () => `${event.rollout}: ${other?.[0]} is active too`);
  }

  #decision(event: FleetEvent): void {
    const isNamed = event.by !== null && event.message.length > 0;
    this.#check('I21', event, isNamed, () => `${event.rollout}: ${event.phase} has no author or reason`);
    if (event.reason !== 'Effective') return;
    if (event.phase === 'Resume') this.#of(event).forgive();
    if (event.phase !== 'Retry') return;
    for (const row of this.#denied) if (row.startsWith(`${event.rollout}/`)) this.#denied.delete(row);
  }

  #write(event: FleetEvent): void {
    const row = this.#of(event).rows.get(event.cluster ?? '');
    const place = `${event.rollout} ${event.cluster}`;
    const isReturn = event.phase === 'Return';
    const expected = isReturn ? 'RollingBack' : 'Applying';
    this.#check('I8', event, row?.phase === expected, () => `${place}: ${event.phase} while it is ${row?.phase}`);
    this.#check('I7', event, row?.phase !== 'Done', () => `${place}: ${event.phase} while it is Done`);
    const closed = this.#closed.get(event.cluster ?? '');
    const isClosed = closed !== undefined && closed.size > 0;
    this.#check('I22', event, !isClosed, () => `${place}: it is ${[...(closed ?? [])].join(', ')}`);
    this.#written.add(`${event.cluster} ${event.subject}`);
    const isOwn = event.subject === this.facts.rules(event.rollout ?? '')?.subject;
    const isNamed = isReturn || event.class === row?.class;
    this.#check('I20', event, isOwn && isNamed, () => `${place}: class ${event.class} moves ${event.subject}`);
    if (isReturn) this.#denied.add(`${event.rollout}/${event.cluster}`);
  }

  #world(event: FleetEvent): void {
    const { phase, cluster, subject } = event;
    this.#offline.world(event);
    if (phase === 'Installed') {
      const isWritten = this.#written.has(`${cluster} ${subject}`);
      const isByHand = this.facts.isByHand?.(cluster ?? '', subject ?? '', event.bundle) === true;
      this.#check('I20', event, isWritten || isByHand, () => `${cluster}: ${subject} moved without a write for it`);
    }
    const states = this.#closed.get(cluster ?? '') ?? new Set<string>();
    if (phase === 'Paused' || phase === 'Left' || phase === 'Replaced') states.add(phase);
    if (phase === 'Unpaused') states.delete('Paused');
    if (phase === 'Accepted') states.delete('Replaced');
    if (phase === 'Joined') states.clear();
    if (states.size > 0 || this.#closed.has(cluster ?? '')) this.#closed.set(cluster ?? '', states);
  }
}
