import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import type { RunSummary } from '#core/rollout/simulation/summary';
import { table } from '../../../output/table.js';

/** One event as a line for people. */
export function eventLine({ t, kind, phase, reason, message, ...event }: FleetEvent): string {
  const place = [event.rollout, event.wave, event.cluster, event.class].filter((part) => part !== null).join(' ');
  const from = event.from === null || event.from === phase ? '' : `${event.from} → `;
  const why = reason === '' ? '' : ` (${reason})`;
  const places = kind === 'cluster' ? ` ${event.inFlight}/${event.limit} in flight` : '';
  return [clock(t), kind.padEnd(10), place, `${from}${phase}${why}${places}`, event.bundle, message]
    .filter((part) => part !== null && part !== '')
    .join('  ');
}

/**
 * Returns an event as a line that fits below a picture. The rollout is left out if it is the only one there.
 */
export function shortEventLine({ t, kind, phase, reason, ...event }: FleetEvent, isOnlyRollout: boolean): string {
  const name = isOnlyRollout ? null : (event.rollout?.replace(/^.*\//, '') ?? null);
  const what = event.cluster ?? (kind === 'class' ? `class ${event.class}` : kind === 'wave' ? 'wave' : null);
  const parts = [name, event.wave, what].filter((part) => part !== null);
  const place = parts.length === 0 ? kind.replace('rollout', 'rollout') : parts.join(' ');
  const from = event.from === null || event.from === phase ? '' : `${event.from} → `;
  return `${clock(t).trim()}  ${place}  ${from}${phase}${reason === '' ? '' : ` (${reason})`}`;
}

/** Hours, minutes and seconds since the start. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`.padStart(8);
}

/** Returns the end of a run, as tables of rollouts and waves. */
export function summaryText({ rollouts, invariants }: RunSummary): string {
  const waves = rollouts.flatMap((rollout) => rollout.waves.map((wave) => ({ rollout, wave })));
  const text = [
    table(rollouts, [
      ['ROLLOUT', ({ name }) => name],
      ['TARGET', ({ target }) => target],
      ['PHASE', ({ phase }) => phase],
      ['REASON', ({ reason }) => reason],
      ['DONE', ({ counts }) => `${counts.done}/${counts.targets}`],
      ['FAILED', ({ counts }) => String(counts.failed)],
      ['ENDED', ({ finishedAt }) => (finishedAt === null ? '-' : clock(finishedAt).trim())],
    ]),
    table(waves, [
      ['ROLLOUT', ({ rollout }) => rollout.name],
      ['WAVE', ({ wave }) => wave.name],
      ['STATE', ({ wave }) => wave.phase],
      ['MEMBERS', ({ wave }) => String(wave.members)],
      ['DONE', ({ wave }) => String(wave.counts.done)],
      ['PEAK', ({ wave }) => `${wave.maxInFlight}/${wave.limit}`],
      ['WAIT', ({ wave }) => String(wave.counts.waiting)],
      ['FAILED', ({ wave }) => String(wave.counts.failed)],
      ['SKIPPED', ({ wave }) => String(wave.counts.skipped)],
    ]),
  ];
  const broken = invariants.violations.map(({ id, seq, message }) => `${id} broke at event ${seq}: ${message}`);
  return `${[...text.map((one) => one.trimEnd()), ...broken].join('\n\n')}\n`;
}
