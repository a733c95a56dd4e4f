import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BareCluster } from '../bare-cluster.js';
import { stringAt } from './json.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('lists and watches', () => {
  let bare: BareCluster;
  beforeEach(() => {
    bare = new BareCluster();
  });
  afterEach(() => bare.stop());

  const create = (name: string, labels: Record<string, string> = {}) =>
    bare.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels } });
  const relabel = (name: string, labels: Record<string, string>) =>
    bare.cluster.edit({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'default' }, (map) => {
      map.metadata.labels = labels;
    });
  const revision = () => stringAt(bare.send({ method: 'GET', path: MAPS }).body, 'metadata', 'resourceVersion') ?? '';
  const shown = (events: readonly { type: string; object: object }[]) =>
    events.map(({ type, object }) =>
      `${type} ${stringAt(object, 'metadata', 'name') ?? stringAt(object, 'reason') ?? ''}`.trim(),
    );

  it('a watch replays what came after its revision and goes on', () => {
    create('before');
    const from = revision();
    create('replayed');
    const { events } = bare.watch(`${MAPS}?resourceVersion=${from}`);
    create('live');
    bare.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: 'before', namespace: 'default' });
    expect(shown(events)).toEqual(['ADDED replayed', 'ADDED live', 'DELETED before']);
  });

  it('without a revision it begins with what is there', () => {
    create('there');
    expect(shown(bare.watch(MAPS).events)).toEqual(['ADDED there']);
  });

  it('an object that leaves a selection is DELETED, one that enters it ADDED', () => {
    create('x', { colour: 'red' });
    const { events } = bare.watch(`${MAPS}?resourceVersion=${revision()}&labelSelector=colour%3Dred`);
    relabel('x', { colour: 'blue' });
    relabel('x', { colour: 'green' });
    relabel('x', { colour: 'red' });
    relabel('x', { colour: 'red', more: '1' });
    expect(shown(events)).toEqual(['DELETED x', 'ADDED x', 'MODIFIED x']);
  });

  it('revisions grow over all kinds, and a write that changes nothing makes none', () => {
    const first = create('x').metadata.resourceVersion;
    bare.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } });
    const second = relabel('x', { a: 'b' }).metadata.resourceVersion;
    expect(Number(second) - Number(first)).toBe(2);
    expect(relabel('x', { a: 'b' }).metadata.resourceVersion).toBe(second);
  });

  it('bookmarks go to those who asked, once per state', () => {
    const asked = bare.watch(`${MAPS}?resourceVersion=${revision()}&allowWatchBookmarks=true`);
    const silent = bare.watch(`${MAPS}?resourceVersion=${revision()}`);
    bare.cluster.bookmarkWatches();
    bare.cluster.bookmarkWatches();
    expect(asked.events.map(({ type }) => type)).toEqual(['BOOKMARK']);
    expect(stringAt(asked.events[0]?.object, 'metadata', 'resourceVersion')).toBe(revision());
    expect(silent.events).toEqual([]);
  });

  it('a watch from a revision that is not reached is accepted, and silent up to it', () => {
    const from = Number(revision()) + 2;
    const { events, ended } = bare.watch(`${MAPS}?resourceVersion=${from}&allowWatchBookmarks=true`);
    create('first');
    bare.cluster.bookmarkWatches();
    create('second');
    expect(shown(events)).toEqual([]);
    create('third');
    expect(shown(events)).toEqual(['ADDED third']);
    expect(ended()).toBe(false);
  });

  it('a list of a revision that is not reached is refused', () => {
    const from = Number(revision()) + 1;
    expect(bare.send({ method: 'GET', path: `${MAPS}?resourceVersion=${from}` }).body).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${from}, current: ${from - 1}`,
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  });

  it('initial events end with a bookmark that says so', () => {
    create('x');
    const { events } = bare.watch(
      `${MAPS}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(shown(events)).toEqual(['ADDED x', 'BOOKMARK']);
    expect(events[1]?.object).toMatchObject({ metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } });
  });

  it('after expiry an old revision is 410 as an ERROR event, a new one is not', () => {
    const old = revision();
    bare.cluster.expireWatches();
    const expired = bare.watch(`${MAPS}?resourceVersion=${old}`);
    expect(expired.events).toMatchObject([
      { type: 'ERROR', object: { code: 410, reason: 'Expired', status: 'Failure' } },
    ]);
    expect(expired.ended()).toBe(true);
    expect(bare.watch(`${MAPS}?resourceVersion=${revision()}`).events).toEqual([]);
  });

  it('expiry can also be the status of the response', () => {
    const old = revision();
    bare.cluster.expireWatches('status');
    expect(() => bare.watch(`${MAPS}?resourceVersion=${old}`)).toThrow(/^too old resource version/);
  });

  it('history that has grown too long is too old by itself', () => {
    create('x');
    const old = revision();
    for (let turn = 0; turn < 600; turn += 1) relabel('x', { turn: String(turn) });
    expect(bare.watch(`${MAPS}?resourceVersion=${old}`).events).toMatchObject([
      { type: 'ERROR', object: { code: 410 } },
    ]);
  });

  it('pages come from the state that the first page saw', () => {
    for (const name of ['a', 'b', 'c']) create(name);
    const first = bare.send({ method: 'GET', path: `${MAPS}?limit=2` }).body;
    create('aa');
    const token = stringAt(first, 'metadata', 'continue') ?? '';
    const second = bare.send({ method: 'GET', path: `${MAPS}?limit=2&continue=${token}` }).body;
    expect(first).toMatchObject({
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
      metadata: { remainingItemCount: 1 },
    });
    expect(second.items).toMatchObject([{ metadata: { name: 'c' } }]);
    expect(stringAt(second, 'metadata', 'resourceVersion')).toBe(stringAt(first, 'metadata', 'resourceVersion'));
  });

  it.each([
    { because: 'the token expired', spoil: () => bare.cluster.expireWatches(), token: undefined, code: 410 },
    { because: 'the token is nonsense', spoil: () => undefined, token: 'nonsense', code: 400 },
  ])('a page is refused: $because', ({ spoil, token, code }) => {
    for (const name of ['a', 'b']) create(name);
    const first = bare.send({ method: 'GET', path: `${MAPS}?limit=1` }).body;
    spoil();
    const next = token ?? stringAt(first, 'metadata', 'continue');
    expect(bare.send({ method: 'GET', path: `${MAPS}?limit=1&continue=${next}` }).code).toBe(code);
  });
});
