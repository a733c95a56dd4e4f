import { describe, expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { FleetWindow } from '../../kernel/api/fleet/fleet-window.js';
import { nextChange, windowHold, windowRules } from './window-rules.js';
import { scheduleProblem, spansOf } from './window-times.js';

const window = (spec: object): FleetWindow =>
  FleetWindow.parse({ apiVersion: FLEET_API, kind: 'FleetWindow', metadata: { name: 'w' }, spec });
const scheduled = (cron: string, duration: string, timeZone = 'Europe/Berlin', more: object = {}) =>
  window({ type: 'Allow', schedule: { cron, duration, timeZone }, ...more });
const at = (time: string): number => Date.parse(time);
const span = (given: FleetWindow, now: string) => {
  const found = spansOf(given)(at(now));
  return found === undefined
    ? undefined
    : [found.start, found.end].map((time) => new Date(time).toISOString().slice(0, 16));
};

describe('spansOf', () => {
  it.each([
    {
      because: 'the next one',
      cron: '0 22 * * *',
      now: '2026-01-05T12:00Z',
      is: ['2026-01-05T21:00', '2026-01-05T22:00'],
    },
    {
      because: 'it has begun',
      cron: '0 22 * * *',
      now: '2026-01-05T21:30Z',
      is: ['2026-01-05T21:00', '2026-01-05T22:00'],
    },
    {
      because: 'its end is outside',
      cron: '0 22 * * *',
      now: '2026-01-05T22:00Z',
      is: ['2026-01-06T21:00', '2026-01-06T22:00'],
    },
    {
      because: '02:30 does not exist',
      cron: '30 2 29 3 *',
      now: '2026-03-01T00:00Z',
      is: ['2026-03-29T01:00', '2026-03-29T02:00'],
    },
    {
      because: '02:30 exists twice',
      cron: '30 2 25 10 *',
      now: '2026-10-01T00:00Z',
      is: ['2026-10-25T00:30', '2026-10-25T01:30'],
    },
    {
      because: 'either day counts',
      cron: '0 1 13 * 5',
      now: '2026-02-07T12:00Z',
      is: ['2026-02-13T00:00', '2026-02-13T01:00'],
    },
  ])('$because: $cron', ({ cron, now, is }) => {
    expect(span(scheduled(cron, '1h'), now)).toEqual(is);
  });

  it('lengthens a span by starts within it, also where minutes are left out', () => {
    expect(span(scheduled('0 1,2,3 * * *', '1h', 'UTC'), '2026-01-05T02:30Z')).toEqual([
      '2026-01-05T02:00',
      '2026-01-05T04:00',
    ]);
    expect(span(scheduled('*/30 2 29 3 *', '10m'), '2026-03-01T00:00Z')).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T01:10',
    ]);
  });

  it('is a period, or always', () => {
    const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    expect(span(window({ type: 'Deny', period }), '2025-12-01T00:00Z')).toEqual([
      '2026-01-01T00:00',
      '2026-01-02T00:00',
    ]);
    expect(span(window({ type: 'Deny', period }), '2026-01-02T00:00Z')).toBeUndefined();
    expect(spansOf(window({ type: 'Deny' }))(0)).toEqual({ start: -Infinity, end: Infinity });
  });
});

describe('windowHold', () => {
  const needsHalf = windowRules(scheduled('0 22 * * *', '1h', 'UTC', { needs: '30m' }));
  const freeze = windowRules(window({ type: 'Deny' }));
  const deny = windowRules(window({ type: 'Deny', schedule: { cron: '0 22 * * *', duration: '1h', timeZone: 'UTC' } }));

  it.each([
    { because: 'nothing matches', windows: [], now: '12:00', start: true, is: undefined },
    { because: 'the Allow is closed', windows: [needsHalf], now: '12:00', start: true, is: 'Window' },
    {
      because: 'exactly the time that is needed is left',
      windows: [needsHalf],
      now: '22:30',
      start: true,
      is: undefined,
    },
    { because: 'less is left', windows: [needsHalf], now: '22:31', start: true, is: 'Window' },
    { because: 'a hop needs it open alone', windows: [needsHalf], now: '22:59', start: false, is: undefined },
    { because: 'it has ended', windows: [needsHalf], now: '23:00', start: false, is: 'Window' },
    { because: 'a Deny is active', windows: [deny, needsHalf], now: '22:10', start: true, is: 'Window' },
    { because: 'a freeze comes first', windows: [deny, freeze], now: '22:10', start: true, is: 'Frozen' },
  ])('$is at $now: $because', ({ windows, now, start, is }) => {
    expect(windowHold(windows, at(`2026-01-05T${now}Z`), start)).toBe(is);
  });

  it('can change at the next start, end, or where less is left than is needed', () => {
    const times = ['12:00', '22:00', '22:31'].map(
      (time) => nextChange([needsHalf, freeze], at(`2026-01-05T${time}Z`)) ?? 0,
    );
    expect(times.map((time) => new Date(time).toISOString().slice(11))).toEqual([
      '22:00:00.000Z',
      '22:30:00.001Z',
      '23:00:00.000Z',
    ]);
  });
});

it.each([
  { cron: '61 * * * *', timeZone: 'UTC', says: /^spec\.schedule\.cron: / },
  { cron: '0 0 32 * *', timeZone: 'UTC', says: /Invalid value for day: 32;/ },
  { cron: '0 0 * 13 *', timeZone: 'UTC', says: /Invalid value for month: 13;/ },
  { cron: '0 24 * * *', timeZone: 'UTC', says: /Invalid value for hour: 24;/ },
  { cron: '0 0 1 1 * 2027', timeZone: 'UTC', says: /^spec\.schedule\.cron: .*: it has 6 fields; five fields/ },
  { cron: '0 0 30 2 *', timeZone: 'UTC', says: /^spec\.schedule\.cron: .*: there is no such day in any year$/ },
  { cron: '0 0 * * *', timeZone: 'Mars/Olympus', says: /there is no time zone "Mars\/Olympus"/ },
])('$cron in $timeZone cannot be read', ({ cron, timeZone, says }) => {
  expect(scheduleProblem(scheduled(cron, '1h', timeZone))).toMatch(says);
});

it('29 February can be waited for', () => {
  expect(scheduleProblem(scheduled('0 0 29 2 *', '1h'))).toBeUndefined();
});
