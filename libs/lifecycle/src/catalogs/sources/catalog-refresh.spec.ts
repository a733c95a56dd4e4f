import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { CatalogContents, type LoadedCatalog } from '../contents/catalog-contents.js';
import { CatalogRefresh } from './catalog-refresh.js';
import type { SourceAccess } from './cluster-access.js';
import { SharedCatalogs } from './shared-catalogs.js';

const MINUTE = 60_000;
const digestOf = (n: number) => `sha256:${String(n).padStart(64, '0')}`;

/** A registry with one image, whose digest counts the pushes; every poll is noted with its login. */
class Shelf extends CatalogContents {
  pushed = 0;
  away = false;
  readonly polls: string[] = [];
  readonly triedAgain: string[] = [];
  constructor() {
    super(new HttpRegistryClient({}), new MemoryContentStore());
  }
  override tryAgain(reference: string, before: number): void {
    this.triedAgain.push(`${reference} before ${new Date(before).toISOString()}`);
  }
  override async ofImage(
    reference: string,
    { credentials = {} }: { credentials?: RegistryCredentials },
  ): Promise<LoadedCatalog> {
    const login = credentials['registry.example'];
    this.polls.push(`${reference} ${login !== undefined && 'password' in login ? login.password : '-'}`);
    if (this.away) throw new Error('the registry is away');
    return { digest: digestOf(this.pushed), content: digestOf(this.pushed), index: indexCatalog([]), packages: 0 };
  }
}

/** Appears random, and is the same each time. */
function dice(): () => number {
  let seed = 7;
  return () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

let clock: ManualClock;
let shelf: Shelf;
let catalogs: SharedCatalogs;
let random: () => number;
let running: CatalogRefresh[];

beforeEach(() => {
  clock = new ManualClock();
  shelf = new Shelf();
  random = dice();
  catalogs = new SharedCatalogs({ contents: shelf, clock, random });
  running = [];
});
afterEach(() => {
  for (const refresh of running) refresh.stop();
});

const access = (password = (): string | undefined => undefined): SourceAccess => ({
  credentials: async () => {
    const known = password();
    return known === undefined ? {} : { 'registry.example': { username: 'u', password: known } };
  },
  configMap: () => Promise.reject(new Error('no ConfigMaps here')),
  watchConfigMap: () => () => undefined,
});

const source = (spec: Partial<CatalogSource['spec']> = {}): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm' },
  spec: { sourceType: 'grpc', image: 'registry.example/shelf:latest', ...spec },
});
const polled = { updateStrategy: { registryPoll: { interval: '10m' } } };

function start(spec: Partial<CatalogSource['spec']> = {}, of = access()): CatalogRefresh {
  const refresh = new CatalogRefresh(source(spec), {
    catalogs,
    clock,
    random,
    cluster: 'east',
    strict: false,
    access: of,
    onState: () => undefined,
  });
  running.push(refresh);
  return refresh;
}

const fleet = (spec: Partial<CatalogSource['spec']> = {}) => Array.from({ length: 200 }, () => start(spec));
const holding = (clusters: readonly CatalogRefresh[]) => new Set(clusters.map(({ loaded }) => loaded?.digest));

describe('two hundred clusters with one image', () => {
  it('ask the registry once when they start', async () => {
    const clusters = fleet();
    await clock.advance(1_000);
    expect(holding(clusters)).toEqual(new Set([digestOf(0)]));
    expect(shelf.polls).toHaveLength(1);
  });

  it('ask once for each poll, and all have what was pushed soon after', async () => {
    const clusters = fleet(polled);
    await clock.advance(1_000);
    for (const push of [1, 2, 3]) {
      shelf.pushed = push;
      await clock.advance(11 * MINUTE);
      expect(holding(clusters), `after push ${push}`).toEqual(new Set([digestOf(push)]));
    }
    expect(shelf.polls.length).toBeLessThanOrEqual(5);
  });

  it('have what was pushed within a poll after the clock was an hour ahead and is set back', async () => {
    const clusters = fleet(polled);
    await clock.advance(1_000);
    clock.set(60 * MINUTE);
    shelf.pushed = 1;
    await clock.advance(11 * MINUTE);
    clock.set(-60 * MINUTE);
    shelf.pushed = 2;
    await clock.advance(11 * MINUTE);
    expect(holding(clusters)).toEqual(new Set([digestOf(2)]));
  });

  it('ask once for each try while the registry is away, less and less often', async () => {
    shelf.away = true;
    const clusters = fleet();
    await clock.advance(10 * MINUTE);
    expect(shelf.polls.length).toBeGreaterThanOrEqual(6);
    expect(shelf.polls.length).toBeLessThanOrEqual(8);
    expect(new Set(clusters.map(({ state }) => state.failure?.message))).toEqual(new Set(['the registry is away']));
  });

  it('all recover with the first of them', async () => {
    shelf.away = true;
    const clusters = fleet();
    await clock.advance(2 * MINUTE);
    shelf.away = false;
    const before = shelf.polls.length;
    await clock.advance(6 * MINUTE);
    expect(holding(clusters)).toEqual(new Set([digestOf(0)]));
    expect(clusters.every(({ failure }) => failure === undefined)).toBe(true);
    expect(shelf.polls.length - before).toBe(1);
  });

  it('do not lend one another their logins', async () => {
    start(
      { secrets: ['pull'] },
      access(() => 'one'),
    );
    start(
      { secrets: ['pull'] },
      access(() => 'two'),
    );
    start();
    await clock.advance(1_000);
    expect(shelf.polls.toSorted()).toEqual(['-', 'one', 'two'].map((who) => `registry.example/shelf:latest ${who}`));
  });
});

describe('a catalog', () => {
  it('that does not poll is read once, and again when its spec changes', async () => {
    const refresh = start();
    await clock.advance(24 * 60 * MINUTE);
    expect(shelf.polls).toHaveLength(1);
    shelf.pushed = 1;
    refresh.update(source({ displayName: 'changed' }));
    await clock.advance(1_000);
    expect(refresh.loaded?.digest).toBe(digestOf(1));
  });

  it('made anew after a push has what was pushed, though others hold the older one', async () => {
    start();
    await clock.advance(MINUTE);
    shelf.pushed = 1;
    const again = start();
    await clock.advance(1_000);
    expect(again.loaded?.digest).toBe(digestOf(1));
  });

  it('has the times of its last poll and of its next try in its state', async () => {
    const refresh = start(polled);
    await clock.advance(1_000);
    expect(refresh.state).toMatchObject({ polledAt: '2026-01-01T00:00:00Z' });
    shelf.away = true;
    await clock.advance(12 * MINUTE);
    const { failure, held } = refresh.state;
    expect(held?.digest).toBe(digestOf(0));
    expect(failure?.reason).toBe('RegistryServerError');
    expect(Date.parse(failure?.nextTry ?? '')).toBeGreaterThanOrEqual(clock.now().getTime() - 1_000);
    expect(refresh.failure, 'good content is held').toBeUndefined();
  });

  it('reads its pull secret again within half a minute, however long the registry has refused it', async () => {
    let password = 'wrong';
    shelf.away = true;
    const refresh = start(
      { secrets: ['pull'] },
      access(() => password),
    );
    await clock.advance(30 * MINUTE);
    const polls = shelf.polls.length;
    expect(polls, 'the registry itself is asked less and less').toBeLessThan(15);
    password = 'right';
    shelf.away = false;
    await clock.advance(35_000);
    expect(shelf.polls.slice(polls)).toEqual(['registry.example/shelf:latest right']);
    expect(refresh.failure).toBeUndefined();
  });

  it('without a valid spec is not resolved from, though it held content before', async () => {
    const refresh = start();
    await clock.advance(1_000);
    refresh.update(source({ image: '' }));
    expect(refresh.failure).toMatch(/shelf: image and address unset/);
  });
});

describe('a paused catalog', () => {
  const paused = (spec: Partial<CatalogSource['spec']> = {}, status: CatalogSource['status'] = undefined) => {
    const made = source(spec);
    const annotations = { 'flotilla.dev/paused': 'true' };
    const withStatus = status === undefined ? {} : { status };
    return { ...made, metadata: { ...made.metadata, annotations }, ...withStatus } as CatalogSource;
  };

  it('keeps its content and asks nothing, whatever its spec says, until it is resumed', async () => {
    const refresh = start(polled);
    await clock.advance(1_000);
    refresh.update(paused(polled));
    const before = shelf.polls.length;
    shelf.pushed = 1;
    refresh.update(paused({ ...polled, image: 'registry.example/shelf:next' }));
    await clock.advance(60 * MINUTE);
    expect(refresh.loaded?.digest).toBe(digestOf(0));
    expect(shelf.polls).toHaveLength(before);
    refresh.update(source(polled));
    await clock.advance(1_000);
    expect(refresh.loaded?.digest).toBe(digestOf(1));
    await clock.advance(11 * MINUTE);
    expect(shelf.polls.length, 'it polls again').toBeGreaterThan(before + 1);
  });

  it('is fetched by the digest that it was paused at, by a process that starts anew', async () => {
    const message = `annotation flotilla.dev/paused is set: nothing polls, and the content ${digestOf(7)} stays in use`;
    const held = { conditions: [{ type: 'Paused', status: 'True', reason: 'PausedByAnnotation', message }] };
    const refresh = new CatalogRefresh(paused(polled, held), {
      ...{ cluster: 'east', catalogs, clock, random, strict: false, access: access(), onState: () => undefined },
    });
    running.push(refresh);
    await clock.advance(60 * MINUTE);
    expect(shelf.polls).toEqual([`registry.example/shelf@${digestOf(7)} -`]);
  });
});

describe('a user who asks for another try', () => {
  const asked = (retry: string): CatalogSource => {
    const { metadata, ...rest } = source();
    return { ...rest, metadata: { ...metadata, annotations: { 'flotilla.dev/retry': retry } } };
  };

  it('gets it at once, and the image that ended its thread before is read once more', async () => {
    shelf.away = true;
    const refresh = start();
    await clock.advance(10 * MINUTE);
    const at = clock.now().toISOString();
    const { length } = shelf.polls;
    shelf.away = false;
    refresh.update(asked(at));
    await clock.advance(1_000);
    expect(shelf.polls).toHaveLength(length + 1);
    expect(shelf.triedAgain).toEqual([`registry.example/shelf:latest before ${at}`]);
    expect(refresh.failure).toBeUndefined();
  });

  it('gets no more tries for the same time', async () => {
    const refresh = start();
    await clock.advance(10_000);
    const { length } = shelf.polls;
    refresh.update(asked('1970-01-02T00:00:00Z'));
    await clock.advance(10_000);
    refresh.update({ ...asked('1970-01-02T00:00:00Z'), status: {} });
    await clock.advance(10_000);
    expect(shelf.polls).toHaveLength(length + 1);
  });
});
