import { describe, expect, it } from 'vitest';
import type { FleetNotification, FleetNotificationStatus } from '../../kernel/api/fleet/fleet-notification.js';
import { dispatched, gathered, settled } from './delivery-state.js';
import type { FleetFact } from './fleet-facts.js';
import { CREATED, halted, notificationOf, unreachable } from './notification.fixture.js';

const START = Date.parse('2026-01-05T01:00:01Z');
const SECOND = 1_000;
const UID = 'uid-1';

/** Plays passes over one FleetNotification: each is a new process with nothing but the stored status. */
class Played {
  status: FleetNotificationStatus = {};
  now = START;
  sent: string[] = [];

  constructor(private readonly notification: FleetNotification) {}

  pass(
    facts: readonly FleetFact[],
    { fails, test, generation }: { fails?: string; test?: string; generation?: number } = {},
  ) {
    const stored = JSON.parse(JSON.stringify(this.status)) as FleetNotificationStatus;
    const before = gathered(stored, this.notification, {
      ...{ facts, createdAt: CREATED, test, generation, now: this.now },
    });
    const { status, due, wakeAt } = dispatched(before, UID, this.notification.spec, this.now);
    this.status = status;
    for (const name of due) {
      const sending = status.receivers?.find((one) => one.name === name)?.sending;
      const id = sending?.id ?? '';
      this.sent.push(`${name} ${Object.entries(sending?.counts ?? {}).join(' ')}`);
      const outcome = fails === undefined ? {} : { failure: fails };
      this.status = settled(this.status, { name, id }, outcome, this.now);
    }
    return wakeAt;
  }

  later(seconds: number) {
    this.now += seconds * SECOND;
  }
  get receiver() {
    return this.status.receivers?.[0];
  }
}

describe('messages of a FleetNotification', () => {
  it('of 1,000 clusters that become unreachable at once are one message, which counts them', () => {
    const played = new Played(notificationOf());
    played.pass([]);
    const all = Array.from({ length: 1_000 }, (_, at) => unreachable(`c-${at}`));
    expect(played.pass(all)).toBe(START + 10 * SECOND);
    expect(played.sent).toEqual([]);
    expect(JSON.stringify(played.status).length).toBeLessThan(16_000);
    played.later(10);
    played.pass(all);
    played.later(3_600);
    played.pass(all);
    expect(played.sent).toEqual(['chat ClusterUnreachable,1000']);
    expect(played.receiver).toMatchObject({ delivered: 1, waiting: 0 });
  });

  it('come at most once in an interval', () => {
    const played = new Played(notificationOf({ group: { wait: '0s', interval: '1m' } }));
    for (let at = 0; at < 120; at += 1) {
      played.pass(Array.from({ length: at + 1 }, (_, one) => unreachable(`c-${one}`)));
      played.later(1);
    }
    expect(played.sent).toEqual(['chat ClusterUnreachable,1', 'chat ClusterUnreachable,60']);
    expect(played.receiver?.waiting).toBe(59);
  });

  it('do not report facts that were there before it was made, and report those of a time without a notifier', () => {
    const played = new Played(notificationOf({ group: { wait: '0s' } }));
    const old = halted({ at: '2026-01-04T00:00:00.000Z' });
    played.pass([old]);
    expect(played.sent).toEqual([]);
    played.later(3_600);
    played.pass([old, halted({ key: 'kafka-4 halted', at: '2026-01-04T12:00:00.000Z' })]);
    expect(played.sent).toEqual(['chat Halted,1']);
  });

  it('report a fact again that has ended and is true once more', () => {
    const played = new Played(notificationOf({ group: { wait: '0s', interval: '5s' } }));
    for (const facts of [[halted()], [], [halted()]]) {
      played.pass(facts);
      played.later(10);
    }
    expect(played.sent).toEqual(['chat Halted,1', 'chat Halted,1']);
  });

  it('stay the same until the receiver has taken them, with growing pauses, and lose nothing meanwhile', () => {
    const played = new Played(notificationOf({ group: { wait: '0s', interval: '5s' } }));
    const facts = [halted()];
    played.pass(facts, { fails: 'chat.example answers 500' });
    const id = played.receiver?.sending?.id;
    const pauses: number[] = [];
    for (let at = 0; at < 9; at += 1) {
      facts.push(unreachable(`c-${at}`));
      const next = Date.parse(played.receiver?.nextAttemptAt ?? '');
      pauses.push((next - played.now) / SECOND);
      played.pass(facts, { fails: 'chat.example answers 500' });
      expect(played.receiver?.sending?.id).toBe(id);
      played.now = next;
      played.pass(facts, { fails: 'chat.example answers 500' });
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900]);
    expect(played.receiver).toMatchObject({ failures: 10, lastFailure: 'chat.example answers 500', waiting: 10 });
    played.later(900);
    played.pass(facts);
    played.later(5);
    played.pass(facts);
    expect(played.sent.slice(-2)).toEqual(['chat Halted,1', 'chat ClusterUnreachable,9']);
    expect(played.receiver).toEqual({
      ...{ name: 'chat', delivered: 2, failures: 0, waiting: 0 },
      lastDeliveredAt: new Date(played.now).toISOString(),
    });
  });

  it('wait as long as the receiver asks, at most an hour', () => {
    const played = new Played(notificationOf({ group: { wait: '0s' } }));
    played.pass([halted()], { fails: 'x' });
    const sending = played.receiver?.sending?.id ?? '';
    const asked = (afterMs: number) =>
      settled(played.status, { name: 'chat', id: sending }, { failure: 'busy', afterMs }, played.now).receivers?.[0];
    expect(asked(120_000)?.nextAttemptAt).toBe(new Date(played.now + 120_000).toISOString());
    expect(asked(1e9)?.nextAttemptAt).toBe(new Date(played.now + 3_600_000).toISOString());
  });

  it('go out at once to a receiver that failed, after a change of the object or for a test', () => {
    const played = new Played(notificationOf({ group: { wait: '0s', interval: '5s' } }));
    for (let at = 0; at < 5; at += 1) {
      played.pass([halted()], { fails: 'x', generation: 1 });
      played.later(1_000);
    }
    played.status = { ...played.status, observedGeneration: 1 };
    const attempts = () => played.sent.length;
    const before = attempts();
    played.pass([halted()], { fails: 'x', generation: 1 });
    const failing = attempts();
    played.pass([halted()], { fails: 'x', generation: 1 });
    expect(attempts()).toBe(failing);
    expect(failing).toBe(before + 1);
    played.pass([halted()], { fails: 'x', generation: 2 });
    expect(attempts()).toBe(failing + 1);
    played.status = { ...played.status, observedGeneration: 2 };
    played.pass([halted()], { generation: 2, test: 'a' });
    expect(attempts()).toBe(failing + 2);
    expect(played.receiver?.lastFailure).toBeUndefined();
  });

  it('are not held for days by the times of a clock that was ahead', () => {
    const ahead = '2026-03-01T00:00:00.000Z';
    const played = new Played(notificationOf({ group: { wait: '10s', interval: '1m' } }));
    played.pass([halted()]);
    const [state] = played.status.receivers ?? [];
    const gathering = { since: ahead, counts: { Halted: 1 }, lines: [] };
    const waits = { ...state, name: 'chat', delivered: 1, failures: 0, waiting: 1, lastDeliveredAt: ahead };
    played.status = { ...played.status, receivers: [{ ...waits, gathering }] };
    played.pass([halted()]);
    played.later(60);
    played.pass([halted()]);
    expect(played.sent).toEqual(['chat Halted,1']);
    const sending = { ...gathering, id: 'i' };
    const fails = { name: 'chat', delivered: 1, failures: 1, waiting: 1, nextAttemptAt: ahead, sending };
    played.status = { ...played.status, receivers: [fails] };
    expect(played.pass([halted()])).toBe(played.now + 3_600_000);
    played.later(3_600);
    played.pass([halted()]);
    expect(played.sent).toEqual(['chat Halted,1', 'chat Halted,1']);
  });

  it('are not counted twice if two processes settle one', () => {
    const facts = [halted()];
    const before = gathered({}, notificationOf(), { facts, createdAt: CREATED, now: START });
    const { status } = dispatched(before, UID, notificationOf({ group: { wait: '0s' } }).spec, START);
    const id = status.receivers?.[0]?.sending?.id ?? '';
    const once = settled(status, { name: 'chat', id }, {}, START);
    expect(settled(once, { name: 'chat', id }, {}, START)).toEqual(once);
  });

  it('show the most severe events first, ten at most', () => {
    const played = new Played(notificationOf());
    played.pass([...Array.from({ length: 30 }, (_, at) => unreachable(`c-${at}`)), halted()]);
    const lines = played.receiver?.gathering?.lines ?? [];
    expect(lines).toHaveLength(10);
    expect(lines[0]).toMatchObject({ event: 'Halted', severity: 'Error', subject: 'FleetOperator/platform/kafka' });
  });

  it('to one receiver do not wait for another one that fails', () => {
    const secretRef = { name: 'x', namespace: 'receivers' };
    const receivers = ['bad', 'good'].map((name) => ({ name, type: 'Slack', secretRef }));
    const notification = notificationOf({ receivers, group: { wait: '0s', interval: '5s' } });
    let status: FleetNotificationStatus = {};
    for (let at = 0; at < 3; at += 1) {
      const now = START + at * 10 * SECOND;
      const facts = Array.from({ length: at + 1 }, (_, one) => unreachable(`c-${one}`));
      const next = dispatched(
        gathered(status, notification, { facts, createdAt: CREATED, now }),
        UID,
        notification.spec,
        now,
      );
      status = next.status;
      for (const name of next.due) {
        const id = status.receivers?.find((one) => one.name === name)?.sending?.id ?? '';
        status = settled(status, { name, id }, name === 'bad' ? { failure: 'no' } : {}, now);
      }
    }
    expect(status.receivers).toMatchObject([
      { name: 'bad', delivered: 0, waiting: 3 },
      { name: 'good', delivered: 3, waiting: 0 },
    ]);
  });
});

describe('filters', () => {
  const facts = [halted(), unreachable('east')];
  const reported = (spec: object) => {
    const played = new Played(notificationOf({ group: { wait: '0s' }, ...spec }));
    played.pass(facts);
    return played.sent.join();
  };
  it.each([
    ['no filter', {}, 'chat Halted,1 ClusterUnreachable,1'],
    ['events', { events: ['Halted'] }, 'chat Halted,1'],
    ['kinds', { subjects: { kinds: ['FleetCluster'] } }, 'chat ClusterUnreachable,1'],
    ['a namespace of others', { subjects: { namespaces: ['shop'] } }, 'chat ClusterUnreachable,1'],
    ['labels', { subjects: { selector: { matchLabels: { team: 'data' } } } }, 'chat Halted,1'],
    ['a selector that nothing matches', { subjects: { selector: { matchLabels: { team: 'web' } } } }, ''],
    [
      'the severity of a receiver',
      {
        receivers: [
          { name: 'pager', type: 'PagerDuty', secretRef: { name: 'p', namespace: 'r' }, minSeverity: 'Error' },
        ],
      },
      'pager Halted,1',
    ],
  ])('%s', (_what, spec, expected) => {
    expect(reported(spec)).toBe(expected);
  });
});

describe('a test message', () => {
  it('is sent at once to every receiver, once for each request', () => {
    const secretRef = { name: 'p', namespace: 'r' };
    const receivers = [{ name: 'pager', type: 'PagerDuty', secretRef, minSeverity: 'Error' }];
    const played = new Played(notificationOf({ receivers, group: { wait: '1h', interval: '24h' } }));
    for (const test of ['a', 'a', 'b']) played.pass([], { test });
    expect(played.sent).toEqual(['pager Test,1', 'pager Test,1']);
    expect(played.status.tested).toBe('b');
  });
});
