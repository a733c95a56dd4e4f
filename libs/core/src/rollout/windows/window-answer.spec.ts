import { describe, expect, it } from 'vitest';
import { FleetWindow } from '../../kernel/api/fleet/fleet-window.js';
import { windowAnswer, windowTimes, zonedTime } from './window-answer.js';
import { windowRules } from './window-rules.js';

const window = (name: string, spec: object) =>
  FleetWindow.parse({ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetWindow', metadata: { name }, spec });
const NIGHTS = window('nights', {
  type: 'Allow',
  schedule: { cron: '0 22 * * 6', duration: '6h', timeZone: 'Europe/Berlin' },
});
const FREEZE = window('freeze', { type: 'Deny' });
const PERIOD = window('fair', { type: 'Deny', period: { from: '2026-01-10T20:00:00Z', to: '2026-01-10T23:00:00Z' } });
const at = (text: string): number => Date.parse(text);
/** A Monday. */
const MONDAY = at('2026-01-05T12:00:00Z');

describe('what windows say about a start', () => {
  it('is nothing without windows', () => {
    expect(windowAnswer([], MONDAY)).toEqual({ hold: undefined, by: [], until: undefined });
  });

  it('is when the next Allow opens', () => {
    const rules = windowRules(NIGHTS);
    const { hold, by, until } = windowAnswer([rules], MONDAY);
    expect({ hold, by: by.map(({ name }) => name) }).toEqual({ hold: 'Window', by: ['nights'] });
    expect(new Date(until ?? 0).toISOString()).toBe('2026-01-10T21:00:00.000Z');
    expect(zonedTime(until ?? 0, windowRules(NIGHTS).zone, MONDAY)).toBe('Sat 22:00 Europe/Berlin');
  });

  it('goes past a Deny that is active when the Allow opens', () => {
    const { until } = windowAnswer([windowRules(NIGHTS), windowRules(PERIOD)], MONDAY);
    expect(new Date(until ?? 0).toISOString()).toBe('2026-01-10T23:00:00.000Z');
  });

  it('names a freeze before all others, and no time for it', () => {
    const { hold, by, until } = windowAnswer([windowRules(NIGHTS), windowRules(FREEZE)], MONDAY);
    expect({ hold, by: by.map(({ name }) => name), until }).toEqual({
      hold: 'Frozen',
      by: ['freeze'],
      until: undefined,
    });
  });

  it('is nothing while the Allow is active', () => {
    expect(windowAnswer([windowRules(NIGHTS)], at('2026-01-10T22:00:00Z')).hold).toBeUndefined();
  });
});

it('knows since when and until when a window is active', () => {
  const during = windowTimes(windowRules(NIGHTS), at('2026-01-10T22:00:00Z'));
  expect(during).toEqual({ isActive: true, start: at('2026-01-10T21:00:00Z'), end: at('2026-01-11T03:00:00Z') });
  expect(windowTimes(windowRules(FREEZE), MONDAY)).toEqual({ isActive: true, start: undefined, end: undefined });
  expect(windowTimes(windowRules(PERIOD), at('2027-01-01T00:00:00Z'))).toMatchObject({ isActive: false });
});

it('writes the date of a time that is far', () => {
  expect(zonedTime(at('2026-02-14T21:00:00Z'), 'UTC', MONDAY)).toBe('Sat 2026-02-14 21:00 UTC');
});
