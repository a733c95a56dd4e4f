import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import { recorder } from '../../../run-flotilla.fixture.js';
import { type PlayedEvents, playLive } from '../simulate/play-live.js';
import { LivePicture } from './live-picture.js';

const event = (given: Partial<FleetEvent>): FleetEvent => ({
  ...{ type: 'event', seq: 1, t: 0, time: '', kind: 'cluster', rollout: 'n/a-1', subject: 'FleetOperator/n/a' },
  ...{ wave: 'lab', cluster: 'c', class: null, attempt: 0, hop: 0, bundle: 'v2', from: null, phase: '' },
  ...{ reason: '', message: '', by: null, inFlight: 0, limit: 1, counts: null },
  ...given,
});
const row = (cluster: string, phase: string, reason: string, t = 0): FleetEvent =>
  event({ cluster, phase, reason, t, from: 'Waiting' });
const wave = (phase: string, reason: string, t = 0): FleetEvent =>
  event({ kind: 'wave', cluster: null, bundle: null, phase, reason, t });
const rollout = event({
  kind: 'rollout',
  wave: null,
  cluster: null,
  bundle: null,
  phase: 'Progressing',
  reason: 'Planned',
});

/** Events that are known no further than they were asked for; `asked`: the times up to which they were. */
function playedFrom(events: readonly FleetEvent[], asked: number[]): PlayedEvents {
  let taken = 0;
  return {
    upTo: (now) => {
      asked.push(now);
      const due = events.slice(taken).filter(({ t }) => t <= now);
      taken += due.length;
      return due;
    },
    get isComplete() {
      return taken === events.length;
    },
    get end() {
      return events[taken - 1]?.t ?? 0;
    },
  };
}

function pictured(events: readonly FleetEvent[], now: number, columns = 80): string[] {
  const picture = new LivePicture(() => ({ soak: 600, progressDeadline: 1800 }));
  for (const one of events) picture.watch(one);
  return picture.lines(now, columns);
}

describe('the live picture', () => {
  it('has a cell for each cluster, the clock of its wave and the commonest reason', () => {
    const phases = [
      'Done',
      'Done',
      'Applying',
      'Verifying',
      'Failed',
      'RollingBack',
      'RolledBack',
      'Skipped',
      'Waiting',
    ];
    const rows = phases.map((phase, at) => row(`c-${at}`, phase, phase === 'Waiting' ? 'Budget' : 'x', 60));
    const lines = pictured([rollout, wave('Open', 'Opened'), ...rows], 120);
    expect(lines.slice(0, 5)).toEqual([
      '0:02:00 since the start',
      '',
      'n/a-1  v2  Progressing (Planned)',
      '  lab  ■■◆▶✗↺○–·  2/9  Open',
      '       next deadline in 0:29:00 · 1 Failed (x)',
    ]);
  });

  it('says how long a wave soaks', () => {
    const lines = pictured(
      [rollout, wave('Open', 'Opened'), row('c', 'Done', 'Healthy', 60), wave('Soaking', 'Soak', 60)],
      120,
    );
    expect(lines[4]).toBe('       soaks for another 0:09:00');
  });

  it('is in proportion for more clusters than there is room for, and no line is wider than the terminal', () => {
    const many = Array.from({ length: 1000 }, (_, at) => row(`c-${at}`, at === 0 ? 'Failed' : 'Done', 'x'));
    for (const columns of [40, 80, 200]) {
      const lines = pictured([rollout, wave('Open', 'Opened'), ...many], 1, columns);
      expect(lines.every((line) => line.length < columns)).toBe(true);
      expect(lines[3]).toMatch(/^ {2}lab {2}■{19,59}✗/);
    }
  });

  it('has bars of equal length, and last events that fit a narrow terminal', () => {
    const rest = event({
      kind: 'wave',
      wave: 'rest',
      cluster: null,
      bundle: null,
      phase: 'Pending',
      reason: 'NotItsTurn',
    });
    const lines = pictured(
      [rollout, wave('Open', 'Opened'), rest, row('c-1', 'Done', 'Healthy', 60), row('c-2', 'Done', 'Healthy', 61)],
      61,
      60,
    );
    expect(lines.slice(3, 5)).toEqual(['  lab   ■■  2/2  Open', '  rest      0/0  Pending']);
    expect(lines.at(-1)).toBe('0:01:01  lab c-2  Waiting → Done (Healthy)');
  });

  it('is drawn four times a second, each over the one before', async () => {
    const { io, result } = recorder();
    const pauses: number[] = [];
    const events = [rollout, wave('Open', 'Opened'), row('c', 'Done', 'Healthy', 30)];
    const asked: number[] = [];
    await playLive(playedFrom(events, asked), new LivePicture(), io, 60, async (ms) => pauses.push(ms));
    expect(asked).toEqual([0, 15, 30]);
    expect(pauses).toEqual([250, 250]);
    expect(result.err.split('since the start').length - 1).toBe(4);
    expect(result.err).toContain('\u001b[7A\r\u001b[K0:00:15 since the start');
    expect(result.err).toContain('■  1/1  Open');
  });
});

describe('a picture on a low terminal', () => {
  const all = ['n/a-1', 'n/b-1', 'n/c-1'].flatMap((name) =>
    [rollout, wave('Open', 'Opened'), row('c', 'Applying', 'Started')].map((one) => ({ ...one, rollout: name })),
  );
  const ended = { ...rollout, rollout: 'n/a-1', phase: 'Completed', reason: 'AllWavesComplete' };
  const drawn = (rows: number, events: readonly FleetEvent[] = all) => {
    const picture = new LivePicture(() => ({ soak: 600, progressDeadline: 1800 }));
    for (const one of events) picture.watch(one);
    return picture.lines(0, 80, rows);
  };

  it('says what its cells mean', () => {
    expect(drawn(50)).toContain('  ▶ applying');
  });

  it('is lower than the terminal: it is drawn over itself', () => {
    for (const rows of [3, 4, 6, 10, 14, 18, 24]) expect(drawn(rows).length, `${rows} rows`).toBeLessThan(rows);
    expect(drawn(3)).toEqual(['0:00:00 since the start', 'and 3 more']);
  });

  it('leaves out the waves of what has ended first', () => {
    const lines = drawn(20, [...all, ended]);
    expect(lines).toContain('n/a-1  v2  Completed (AllWavesComplete)');
    expect(lines.filter((line) => line.startsWith('  lab'))).toHaveLength(2);
    expect(drawn(50, [...all, ended]).filter((line) => line.startsWith('  lab'))).toHaveLength(3);
  });
});
