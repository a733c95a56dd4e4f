import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ConsoleAction } from '#core/view/actions/console-action';
import type { ConsoleQuestion } from '#core/view/questions/console-question';
import type { HubStore } from '#platform/hub/hub-store';
import { LONGEST_HISTORY } from '#platform/view/view-keys';
import { aWhile, PATIENCE } from '#testing/patience';
import { operatorRow } from '../../../apps/console/src/console.fixture.js';

const IDS = { one: randomUUID(), two: randomUUID(), three: randomUUID() };
const action = (name: keyof typeof IDS, by = 'jane'): ConsoleAction => ({
  ...{ v: 1, id: IDS[name], verb: 'approve', by, at: new Date().toISOString() },
  targets: [{ cluster: 'east', namespace: 'harbors', name: 'install-1' }],
});
const question = (name: string): ConsoleQuestion => ({
  ...{ v: 1, ask: 'explain', kind: 'Subscription', cluster: 'east', namespace: 'harbors' },
  name,
});
const prove = async () => 'proof';
const jane = { session: 'jane', prove };
const second = (at: number) => new Date(Date.parse('2026-11-01T00:00:00Z') + at * 1_000).toISOString();
const session = { name: 'jane', groups: ['ops'], beganMs: 1, seenMs: 2, groupsMs: 3 };
const entry = (at: number, person: string) => ({
  ...{ at: second(at), event: 'refused' as const, person, address: '::1', verb: 'approve', targets: ['east/a/b'] },
  ...{ more: 0, because: 'no right' },
});

/** Tests of each {@link HubStore}: channels of the console, rows and reports. */
export function hubStoreConformance(make: () => HubStore): void {
  it('gives an action to those that follow, and to one that comes just after it', async () => {
    const store = make();
    const early: string[] = [];
    const late: string[] = [];
    const receiver = store.actionReceiver();
    receiver.follow(({ action: { id } }) => early.push(id));
    await store.actionSender.send(action('one'), 'key-1', prove);
    await expect.poll(() => early, PATIENCE).toEqual([IDS.one]);
    const other = store.actionReceiver();
    other.follow(({ action: { id } }) => late.push(id));
    await expect.poll(() => late, PATIENCE).toEqual([IDS.one]);
    await Promise.all([receiver.stop(), other.stop()]);
    await store.actionSender.send(action('two'), 'key-2', prove);
    await aWhile();
    expect([early, late]).toEqual([[IDS.one], [IDS.one]]);
  });

  it('sends an action once for each key of a person, and finds it', async () => {
    const store = make();
    expect(await store.actionSender.send(action('one'), 'key', prove)).toBe(IDS.one);
    expect(await store.actionSender.send(action('two'), 'key', prove)).toBe(IDS.one);
    expect(await store.actionSender.send(action('three', 'joe'), 'key', prove)).toBe(IDS.three);
    expect(await store.actionSender.find(IDS.one)).toMatchObject({ id: IDS.one, by: 'jane' });
    expect(await store.actionSender.find(IDS.two)).toBeUndefined();
  });

  it('sends the proof with the action, and nothing if none can be made', async () => {
    const store = make();
    const receiver = store.actionReceiver();
    const proofs: string[] = [];
    receiver.follow(({ proof }) => proofs.push(proof));
    const failing = async () => Promise.reject(new RangeError('no token'));
    await expect(store.actionSender.send(action('one'), 'key', failing)).rejects.toThrow('no token');
    expect(await store.actionSender.send(action('one'), 'key', prove)).toBe(IDS.one);
    await expect.poll(() => proofs, PATIENCE).toEqual(['proof']);
    await receiver.stop();
  });

  it('takes a proof once for each part of what it proves, and knows another process from a second message', async () => {
    const [used, other] = [make().usedProofs('applier'), make().usedProofs('poller')];
    const proof = { nonce: 'n'.repeat(20), part: 'east', delivery: '1-0' };
    expect(await used.take(proof)).toBe('first');
    expect(await used.take(proof)).toBe('elsewhere');
    expect(await used.take({ ...proof, part: 'west' })).toBe('first');
    expect(await used.take({ ...proof, delivery: '2-0' })).toBe('used');
    expect(await other.take(proof), 'of another service').toBe('first');
  });

  it('keeps the last result of each target, and a refusal only if there is none', async () => {
    const store = make();
    const receiver = store.actionReceiver();
    const target = { cluster: 'east', namespace: 'harbors', name: 'install-1' };
    await receiver.report('one', target, { outcome: 'failed', message: 'not yet' });
    await receiver.report('one', target, { outcome: 'done', message: '' });
    await receiver.refuse('one', target, { outcome: 'refused', message: 'used' });
    await receiver.refuse('one', { ...target, cluster: 'west' }, { outcome: 'refused', message: 'no proof' });
    const results = await store.actionSender.results('one');
    expect(results.map(({ cluster, outcome }) => `${cluster} ${outcome}`).toSorted()).toEqual([
      'east done',
      'west refused',
    ]);
    expect(await store.actionSender.results('two')).toEqual([]);
    await receiver.stop();
  });

  it('asks equal questions once, and keeps the answer for a while', async () => {
    const store = make();
    const receiver = store.questionReceiver();
    const asked: string[] = [];
    receiver.follow(({ question: one }) => {
      asked.push(one.name);
      void receiver.answer(one, { answer: { says: one.name } });
    });
    const answers = await Promise.all(
      [question('a'), question('a'), question('b')].map((one) => store.questionAsker.ask(one, jane)),
    );
    expect(answers).toEqual([{ answer: { says: 'a' } }, { answer: { says: 'a' } }, { answer: { says: 'b' } }]);
    expect(await store.questionAsker.ask(question('a'), jane)).toEqual({ answer: { says: 'a' } });
    expect(asked.toSorted()).toEqual(['a', 'b']);
    await receiver.stop();
  });

  it('refuses a question to the one who sent it, and answers it for all', async () => {
    const store = make();
    const receiver = store.questionReceiver();
    const ask = (who: string) => store.questionAsker.ask(question('d'), { session: who, prove: async () => who });
    const waiting: Parameters<typeof receiver.refuse>[0][] = [];
    receiver.follow((sent) => waiting.push(sent));
    const asked = [ask('jane'), ask('jane'), ask('mallory'), ask('joe')];
    await expect.poll(() => waiting.map(({ proof }) => proof).toSorted(), PATIENCE).toEqual(['jane', 'joe', 'mallory']);
    const hers = waiting.find(({ proof }) => proof === 'mallory');
    if (hers !== undefined) await receiver.refuse(hers, { because: 'refused', message: 'no' });
    expect(await asked[2]).toEqual({ because: 'refused', message: 'no' });
    await receiver.answer(question('d'), { answer: 1 });
    expect(await Promise.all(asked)).toEqual([
      { answer: 1 },
      { answer: 1 },
      { because: 'refused', message: 'no' },
      { answer: 1 },
    ]);
    await receiver.stop();
  });

  it('lets one poller answer a question, and gives a reason in place of an answer that no page can show', async () => {
    const store = make();
    const [receiver, other] = [store.questionReceiver(), store.questionReceiver()];
    expect([await receiver.claim(question('c')), await other.claim(question('c'))]).toEqual([true, false]);
    receiver.follow(({ question: one }) => void receiver.answer(one, { answer: 'x'.repeat(1_100_000) }));
    expect(await store.questionAsker.ask(question('large'), jane)).toMatchObject({ because: 'failed' });
    await Promise.all([receiver.stop(), other.stop()]);
  });

  it('keeps a session until it is removed, and forgets none that was put again', async () => {
    const { sessions } = make();
    await sessions.put('hash', session, 60);
    await sessions.put('hash', { ...session, seenMs: 9 }, 60);
    expect(await sessions.get('hash')).toEqual({ ...session, seenMs: 9 });
    await sessions.remove('hash');
    expect(await sessions.get('hash')).toBeUndefined();
    expect(await sessions.get('never')).toBeUndefined();
  });

  it('shows the newest entries of the trail first, and keeps those of people when nameless ones come', async () => {
    const { trail } = make();
    await trail.add(entry(1, 'jane'));
    for (let at = 2; at < 252; at += 1) await trail.add(entry(at, ''));
    const found = await trail.read();
    expect([found.length, found[0]?.at, found.at(-1)]).toEqual([201, second(251), entry(1, 'jane')]);
  });

  it('keeps what each process last reported, and forgets what is old', async () => {
    const { reports, viewReader } = make();
    const row = (instance: string, at: number) => ({
      ...{ service: 'applier', instance, version: '0.1.0', updatedAt: second(at), checks: [], queues: [], slowest: [] },
    });
    const reader = viewReader();
    for (const [instance, at] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 5],
    ] as const)
      await reports.put(row(instance, at));
    await reports.forgetBefore(new Date(second(3)));
    const instances = async () => (await reader.hub()).map(({ instance }) => instance).toSorted();
    expect(await instances()).toEqual(['a', 'c']);
    await reports.remove('a');
    expect(await instances()).toEqual(['c']);
    reader.close();
  });

  it('gives rows and then what changes in them, each reader by itself', async () => {
    const store = make();
    const [reader, other] = [store.viewReader(), store.viewReader()];
    const first = operatorRow('east', 'lamp', { installed: 'v1', updatedAt: second(0) });
    await store.view.write({ cluster: 'east', changed: [first], removed: [] });
    const { epoch, place, rows } = await reader.load();
    expect(rows).toEqual([first]);
    const next = operatorRow('east', 'lamp', { installed: 'v2', updatedAt: second(9) });
    const waiting = Promise.all([reader, other].map((one) => one.changesAfter(epoch, place, 30_000)));
    await aWhile();
    await store.view.write({ cluster: 'east', changed: [next], removed: [] });
    for (const found of await waiting) expect(found).toMatchObject({ changes: [{ cluster: 'east', changed: [next] }] });
    await store.view.write({ cluster: 'east', changed: [], removed: [next.id] });
    expect(await store.view.idsOf('east')).toEqual([]);
    expect(await store.view.clusters()).toEqual([]);
    expect((await reader.load()).rows).toEqual([]);
    expect(await reader.changesAfter('another', place, 0)).toBe('lost');
    for (const one of [reader, other]) one.close();
  });

  it('knows since when changes are known, and keeps no more than a page can show', async () => {
    const { view, viewReader } = make();
    const reader = viewReader();
    const upgrade = (count: number, version: string, at: number) => {
      const rows = Array.from({ length: count }, (_, index) =>
        operatorRow('east', `lamp-${index}`, { installed: version, updatedAt: second(at) }),
      );
      return view.write({ cluster: 'east', changed: rows, removed: [] });
    };
    await upgrade(10, 'v1', 0);
    expect(await reader.history()).toEqual({ entries: [], knownSince: second(0) });
    await upgrade(10, 'v2', 60);
    expect(await reader.history()).toMatchObject({ entries: { length: 10 }, knownSince: second(0) });
    await upgrade(LONGEST_HISTORY, 'v3', 120);
    await upgrade(LONGEST_HISTORY, 'v4', 180);
    const { entries, knownSince } = await reader.history();
    expect([entries.length, entries.at(-1)?.at, knownSince]).toEqual([LONGEST_HISTORY, second(180), second(180)]);
    reader.close();
  });

  it('takes writes', async () => {
    const { check } = make();
    await expect.poll(async () => (await check.check()).up, PATIENCE).toBe(true);
  });
}
