import { describe, expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetEvent } from '../controller/record/event-log.js';
import { type KafkaScenario, operator, scenarioFrom } from './kafka-scenario.fixture.js';
import { checkedByInstants, simulateChecked } from './simulate-checked.js';
import type { RunSummary } from './summary.js';

function played(given: KafkaScenario) {
  const events: FleetEvent[] = [];
  const summary = simulateChecked(scenarioFrom(given), (event) => events.push(event));
  expect(summary.invariants.violations).toEqual([]);
  return { events, summary };
}

/** Events of a kind as `t phase reason`, of one wave or cluster. */
const said = (events: readonly FleetEvent[], kind: string, of?: string) =>
  events
    .filter((event) => event.kind === kind && (of === undefined || event.wave === of || event.cluster === of))
    .map(({ t, phase, reason }) => `${t} ${phase}${reason === '' ? '' : ` ${reason}`}`);

const ends = ({ rollouts }: RunSummary) => rollouts.map(({ name, phase, reason }) => `${name} ${phase} ${reason}`);
const subject = 'FleetOperator/platform/kafka';
const decide = (action: string, more: object = {}) => ({
  decide: { rollout: 'platform/kafka-1', action, by: { user: 'anna', groups: ['board'] }, reason: 'CHG-1', ...more },
});
const release = (at: string, to: string) => ({ at, release: { subject, to } });
const wave = (more: object) => ({ waves: [{ name: 'first', count: 2, maxConcurrent: 1, ...more }] });

describe('a scenario that is played instant by instant', () => {
  it('has its events as far as it was played, and ends as one that is played at once', () => {
    const given = { clusters: 3, strategy: { waves: [{ name: 'lab', count: 1, soak: '1h' }] } };
    const whole = played(given);
    const events: FleetEvent[] = [];
    const instants = checkedByInstants(scenarioFrom(given), (event) => events.push(event));
    const lastOf: number[] = [];
    for (let next = instants.next(); ; next = instants.next()) {
      if (next.done === true) {
        expect(next.value).toEqual(whole.summary);
        break;
      }
      lastOf.push(events.at(-1)?.t ?? 0);
    }
    expect(lastOf).toEqual([...new Set(lastOf)].sort((a, b) => a - b));
    expect(lastOf.length).toBeGreaterThan(5);
    expect(events).toEqual(whole.events);
  });
});

describe('a rollout without faults', () => {
  it('plans, opens waves one after the other, soaks, and completes', () => {
    const { events, summary } = played({ strategy: wave({ soak: '5m' }) });
    expect(said(events, 'rollout')).toEqual([
      '0 Planning Released',
      '1 Progressing Planned',
      `${summary.seconds} Completed AllWavesComplete`,
    ]);
    expect(said(events, 'wave', 'first')).toEqual([
      '0 Pending NotItsTurn',
      '1 Open Opened',
      '81 Soaking Soak',
      '381 Complete Passed',
    ]);
    const [first = ''] = events.filter(({ phase }) => phase === 'Applying').map(({ cluster }) => cluster ?? '');
    expect(said(events, 'cluster', first)).toEqual([
      '0 Waiting Planning',
      '1 Waiting WaveNotOpen',
      '1 Applying Started',
      '31 Verifying Applied',
      '41 Done Healthy',
    ]);
    expect(said(events, 'write', first)).toEqual(['1 Target', '1 Approve']);
    expect(said(events, 'world', first)).toEqual(['31 Installed']);
  });

  it('makes none where every cluster has the target', () => {
    const { summary } = played({ file: { script: [release('0s', 'kafka-operator.current')] } });
    expect(summary.rollouts).toEqual([]);
  });
});

describe('failures', () => {
  const fails = (strategy: object, more: object = {}) =>
    played({ strategy, file: { faults: [{ applyFails: { after: '5s', cause: 'ImagePullBackOff' }, ...more }] } });

  it.each([
    { strategy: wave({}), end: 'platform/kafka-1 Halted ThresholdExceeded' },
    { strategy: { ...wave({}), onFailure: 'RollBackWave' }, end: 'platform/kafka-1 RolledBack AllRolledBack' },
    { strategy: { ...wave({}), onFailure: 'RollBackAll' }, end: 'platform/kafka-1 RolledBack AllRolledBack' },
  ])('over the threshold: $end', ({ strategy, end }) => {
    const { summary, events } = fails(strategy);
    expect(ends(summary)).toEqual([end]);
    expect(events.find(({ phase }) => phase === 'Failed')).toMatchObject({
      reason: 'ApplyFailed',
      message: 'ImagePullBackOff',
    });
    expect(summary.clusters.every((one) => one.installed[subject] === 'kafka-operator.current')).toBe(true);
  });

  it('within the threshold take one cluster back where the strategy says so', () => {
    const strategy = { ...wave({ failureThreshold: 4, requireSuccesses: 0 }), onClusterFailure: 'RollBack' };
    const { summary } = fails(strategy);
    expect(ends(summary)).toEqual(['platform/kafka-1 Completed AllWavesComplete']);
    expect(summary.clusters.every(({ denied }) => denied.includes('kafka-operator.next'))).toBe(true);
  });

  it('block a return that the check refuses, and leave the rollout incomplete', () => {
    const target = { subject, to: 'kafka-operator.v2', returnBlocked: 'StoredVersionRemoved' };
    const { summary } = played({
      strategy: { ...wave({}), onFailure: 'RollBackAll' },
      file: { targets: [target], script: [release('0s', 'kafka-operator.v2')], faults: [{ applyHangs: {} }] },
    });
    expect(ends(summary)).toEqual(['platform/kafka-1 Halted RollbackIncomplete']);
  });
});

describe('decisions', () => {
  const needsBoard = {
    ...wave({}),
    approval: { default: 'Auto', rules: [{ changes: ['Minor'], action: 'Manual', groups: ['board'] }] },
  };

  it('hold a class until it is approved by a user who may', () => {
    const script = [
      release('0s', 'kafka-operator.v2'),
      { at: '1m', decide: { ...decide('Approve', { class: 'only' }).decide, by: { user: 'ben' } } },
      { at: '2m', ...decide('Approve', { class: 'only' }) },
    ];
    const { events, summary } = played({ strategy: needsBoard, file: { script } });
    expect(said(events, 'decision')).toEqual(['60 Approve NotAllowed', '120 Approve Effective']);
    expect(said(events, 'class')).toEqual(['1 Waiting Manual', '120 Approved Decision']);
    expect(ends(summary)).toEqual(['platform/kafka-1 Completed AllWavesComplete']);
  });

  it('pause, resume and abort', () => {
    const script = [
      release('0s', 'kafka-operator.v2'),
      { at: '10s', ...decide('Pause') },
      { at: '5m', ...decide('Resume') },
      { at: '5m10s', ...decide('Abort') },
    ];
    const { events, summary } = played({ strategy: wave({}), file: { script } });
    expect(said(events, 'rollout').slice(2)).toEqual([
      '10 Paused Decision',
      '300 Progressing Resumed',
      '310 Progressing Aborting',
      `${summary.seconds} Aborted Decision`,
    ]);
  });

  it('supersede: the newer target waits for its turn', () => {
    const script = [release('0s', 'kafka-operator.v2'), release('10s', 'kafka-operator.v3')];
    const { summary, events } = played({ strategy: wave({}), file: { script } });
    expect(ends(summary)).toEqual([
      'platform/kafka-1 Superseded NewerTarget',
      'platform/kafka-2 Completed AllWavesComplete',
    ]);
    const second = events.filter(({ kind, rollout }) => kind === 'rollout' && rollout === 'platform/kafka-2');
    expect(second.slice(0, 3).map(({ from, phase, reason }) => [from, phase, reason])).toEqual([
      [null, 'Planning', 'Queued'],
      ['Planning', 'Planning', 'Released'],
      ['Planning', 'Progressing', 'Planned'],
    ]);
  });
});

describe('windows', () => {
  it('hold starts until an Allow is open with the time that is needed', () => {
    const schedule = { cron: '0 22 * * *', duration: '1h', timeZone: 'Europe/Berlin' };
    const allow = {
      apiVersion: FLEET_API,
      kind: 'FleetWindow',
      metadata: { name: 'nights' },
      spec: { type: 'Allow', schedule, needs: '30m' },
    };
    const { events } = played({ others: [allow] });
    const start = events.find(({ phase, reason }) => phase === 'Applying' && reason === 'Started');
    expect(start?.time).toBe('2026-01-05T21:00:00.000Z');
  });
});

describe('clusters that are away', () => {
  it('take no return that was given up before they came back', () => {
    const strategy = { ...wave({ progressDeadline: '40s', offlineGrace: '0s' }), onFailure: 'RollBackWave' };
    const faults = [{ from: '41s', offline: { for: '2m' } }];
    const { events } = played({ strategy, file: { durations: { hop: '35s' }, faults } });
    expect(
      said(events, 'controller')
        .concat(said(events, 'write'))
        .filter((line) => line.endsWith('Return')),
    ).toEqual([]);
  });

  it('are set aside after the grace, and catch up when they return', () => {
    const faults = [{ clusters: { names: ['c-0003'] }, offline: { for: '2h' } }];
    const { events, summary } = played({ strategy: wave({}), file: { faults } });
    const lines = said(events, 'cluster', 'c-0003').map((line) => line.replace(/^\S+ /, ''));
    expect(lines).toContain('Skipped Offline');
    expect(lines.at(-1)).toBe('Done Healthy');
    expect(summary.clusters.every((one) => one.installed[subject] === 'kafka-operator.next')).toBe(true);
  });
});

describe('what a release, a promotion and a retry lead to', () => {
  it('brings the target that is listed for a subject where a release names none', () => {
    const { summary } = played({ file: { targets: [{ subject, to: 'kafka-operator.v2' }] } });
    expect(summary.rollouts.map(({ target }) => target)).toEqual(['kafka-operator.v2']);
  });

  it('completes a wave by a Promote also where a success was lost while it soaked', () => {
    const { events, summary } = played({
      strategy: { waves: [{ name: 'all', maxConcurrent: 2, soak: '1h', failureThreshold: 1, requireSuccesses: 2 }] },
      clusters: 2,
      file: {
        faults: [{ clusters: { names: ['c-0001'] }, unhealthy: { after: '5m' } }],
        script: [release('0s', 'kafka-operator.v2'), { at: '30m', ...decide('Promote') }],
      },
    });
    expect(said(events, 'decision')).toEqual(['1800 Promote Effective']);
    expect(said(events, 'wave', 'all').slice(-2)).toEqual(['341 Soaking NotEnoughSuccesses', '1800 Complete Promoted']);
    expect(ends(summary)).toEqual(['platform/kafka-1 Completed AllWavesComplete']);
  });

  it('completes a wave by a Retry of a success that was lost while it soaked', () => {
    const { events, summary } = played({
      strategy: { waves: [{ name: 'all', maxConcurrent: 2, soak: '1h', failureThreshold: 1, requireSuccesses: 2 }] },
      clusters: 2,
      file: {
        faults: [{ clusters: { names: ['c-0001'] }, attempts: 1, unhealthy: { after: '5m', for: '10m' } }],
        script: [release('0s', 'kafka-operator.v2'), { at: '30m', ...decide('Retry') }],
      },
    });
    expect(said(events, 'wave', 'all').slice(-3)).toEqual([
      '341 Soaking NotEnoughSuccesses',
      '1800 Soaking Soak',
      '5410 Complete Passed',
    ]);
    expect(ends(summary)).toEqual(['platform/kafka-1 Completed AllWavesComplete']);
  });

  it('says why a cluster waits again', () => {
    const { events } = played({
      strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
      clusters: 1,
      file: {
        faults: [{ attempts: 1, applyFails: {} }],
        script: [release('0s', 'kafka-operator.v2'), { at: '10m', ...decide('Retry') }],
      },
    });
    const retried = said(events, 'cluster', 'c-0001').filter((line) => line.startsWith('600 '));
    expect(retried).toEqual(['600 Waiting Budget', '600 Applying Retry']);
  });

  it('says of a cluster whose plan has changed that it waits for that, also where the controller was away', () => {
    const { events } = played({
      strategy: {},
      clusters: 8,
      file: {
        faults: [{ planChanges: { class: 'only' } }, { controllerKilled: { everyWrites: 1, down: '1s' } }],
        script: [release('0s', 'kafka-operator.v2')],
      },
    });
    const back = events.filter(
      ({ kind, from, phase }) => kind === 'cluster' && from === 'Applying' && phase === 'Waiting',
    );
    expect(back.length).toBeGreaterThan(0);
    expect(new Set(back.map(({ reason }) => reason))).toEqual(new Set(['PlanChanged']));
  });

  it('sends a cluster that is to go back on no further hop, also where it waits for its turn to go', () => {
    const { events } = played({
      strategy: { waves: [{ name: 'all', maxConcurrent: 2 }], rollbackConcurrency: 1 },
      clusters: 2,
      file: {
        targets: [{ subject, to: 'kafka-operator.v2', classes: [{ name: 'slow', hops: 3 }] }],
        script: [
          release('0s', 'kafka-operator.v2'),
          { at: '10s', ...decide('Rollback', { clusters: ['c-0001', 'c-0002'] }) },
        ],
      },
    });
    expect(events.filter(({ reason }) => reason === 'Hop')).toEqual([]);
    const returns = events.filter(({ phase }) => phase === 'RollingBack').map(({ t }) => t);
    expect(returns).toEqual([31, 51]);
  });
});

describe('what the log says of a beginning', () => {
  const rollout = (events: readonly FleetEvent[], name: string) =>
    said(
      events.filter((event) => event.rollout === name),
      'rollout',
    );

  it('is Planning, also where a newer target is released at the same instant', () => {
    const script = [release('0s', 'kafka-operator.v2'), release('0s', 'kafka-operator.v3')];
    const { events } = played({ file: { script } });
    expect(rollout(events, 'platform/kafka-1')).toEqual(['0 Planning Released', '0 Superseded NewerTarget']);
    expect(events.some(({ kind, rollout: name }) => kind === 'class' && name === 'platform/kafka-1')).toBe(false);
  });

  it('is followed by Superseding, until the newer target is aborted', () => {
    const abort = { at: '20s', decide: { ...decide('Abort').decide, rollout: 'platform/kafka-2' } };
    const script = [release('0s', 'kafka-operator.v2'), release('10s', 'kafka-operator.v3'), abort];
    const { events } = played({ strategy: wave({}), file: { script } });
    expect(rollout(events, 'platform/kafka-1')).toEqual([
      '0 Planning Released',
      '1 Progressing Planned',
      '10 Progressing Superseding',
      '20 Progressing Resumed',
      '161 Completed AllWavesComplete',
    ]);
  });

  it('is Planning, also where the subject is paused', () => {
    const paused = { ...operator, spec: { ...operator.spec, paused: true } };
    const { events } = played({ file: { script: [{ at: '1m', apply: paused }, release('1m', 'kafka-operator.v2')] } });
    expect(rollout(events, 'platform/kafka-1')).toEqual(['60 Planning Released', '60 Paused SubjectPaused']);
  });

  it('of a cluster has the green answer of its gate, also where the cluster starts by it', () => {
    const gate = {
      name: 'calm',
      when: 'Before',
      times: 2,
      interval: '30s',
      webhook: { url: 'https://gates.example/' },
    };
    const { events } = played({ clusters: 2, strategy: wave({ maxConcurrent: 1, gates: [gate] }) });
    const ofOne = events.filter(({ kind, reason }) => kind === 'gate' || reason === 'Started');
    expect(ofOne.map(({ t, kind, phase }) => `${t} ${kind} ${phase}`)).toEqual([
      '31 gate Green',
      '31 gate Green',
      '31 cluster Applying',
      '71 cluster Applying',
    ]);
    expect(new Set(ofOne.slice(0, 2).map(({ cluster }) => cluster)).size).toBe(2);
  });

  it('of another attempt has its gate asked afresh, also after a plan that had changed', () => {
    const gate = { name: 'calm', when: 'Before', times: 1, webhook: { url: 'https://gates.example/' } };
    const faults = [{ planChanges: { class: 'only' } }];
    const { events } = played({ clusters: 1, strategy: wave({ gates: [gate] }), file: { faults } });
    expect(said(events, 'gate')).toEqual(['1 Green calm', '2 Green calm']);
  });

  it('of a wave has the green answer of its gate', () => {
    const gate = { name: 'calm', when: 'Before', scope: 'Wave', times: 1, webhook: { url: 'https://gates.example/' } };
    const { events } = played({ strategy: wave({ gates: [gate] }) });
    expect(events.filter(({ kind }) => kind === 'gate')).toMatchObject([
      { t: 1, wave: 'first', cluster: null, phase: 'Green', reason: 'calm', from: null },
      { t: 81, wave: 'rest', cluster: null, phase: 'Green', reason: 'calm', from: null },
    ]);
  });
});

it('says of a wave that goes back at the instant of its last success that it was not complete', () => {
  const { events, summary } = played({
    strategy: { waves: [{ name: 'one', count: 1 }], onFailure: 'RollBackAll' },
    clusters: 2,
    file: { faults: [{ unhealthy: { after: '20s' } }] },
  });
  expect(said(events, 'wave', 'rest')).toEqual([
    '0 Pending NotItsTurn',
    '41 Open Opened',
    '81 RollingBack OnFailure',
    '121 RolledBack Returned',
  ]);
  expect(summary.rollouts[0]?.waves.map(({ completedAt }) => completedAt)).toEqual([41, null]);
});

describe('a cluster that has a newer version than the target from the start', () => {
  const [newer, to] = ['kafka-operator.v2.5.0', 'kafka-operator.v2.4.0'];
  const clusters = [{ name: 'ahead', installed: { [subject]: newer } }, { name: 'behind' }];
  const ended = (more: object) => {
    const targets = [{ subject, to, classes: [{ name: 'only', ...more }] }];
    const { summary } = played({ clusters, strategy: wave({}), file: { targets } });
    return summary.clusters.map(({ rows, installed }) => `${rows[0]?.phase} ${rows[0]?.reason} ${installed[subject]}`);
  };

  it('is up to date, as live', () => {
    expect(ended({})).toEqual([`Done UpToDate ${newer}`, `Done Healthy ${to}`]);
  });

  it('goes back to the target where the plan is a downgrade', () => {
    expect(ended({ changes: ['Downgrade'] })).toEqual([`Done Healthy ${to}`, `Done Healthy ${to}`]);
  });
});
