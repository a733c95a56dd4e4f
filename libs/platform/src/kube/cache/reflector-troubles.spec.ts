import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedAnswer, startScriptedServer } from '#testing/control-plane/scripted-server';
import { aWhile, PATIENCE } from '#testing/patience';
import { ManualClock } from '../../clock/manual-clock.js';
import { HttpKubeClient } from '../client/http-kube-client.js';
import { fixedCredentials } from '../transport/credentials.js';
import { HttpTransport } from '../transport/http-transport.js';
import { Reflector } from './reflector.js';

const endings: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const discovery = { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] };
const empty = { metadata: { resourceVersion: '8' }, items: [] };
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const GONE = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old resource version' };
const OVERLOADED = { kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500, message: 'etcd is away' };
const TOO_MANY = { kind: 'Status', status: 'Failure', reason: 'TooManyRequests', code: 429, message: 'too many' };
const bookmark = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '8' } };

/** Pauses of a reflector are shorter, and limits of its requests longer. */
const LONGEST_PAUSE_MS = 10_000;

/** A reflector on a server that lists nothing and answers watches with these lines. */
async function watchingServer(
  script: Readonly<{ watch: () => ScriptedAnswer; list?: () => ScriptedAnswer | undefined }>,
) {
  const asked: string[] = [];
  const paths: string[] = [];
  const said: string[] = [];
  const server = await startScriptedServer({
    protocol: 'plain http',
    answer: ({ path }) => {
      paths.push(path);
      const what = path.includes('watch=true') ? 'watch' : path.includes('configmaps') ? 'list' : 'discovery';
      asked.push(what);
      if (what === 'watch') return script.watch();
      if (what === 'list' && script.list !== undefined) return script.list();
      return { body: JSON.stringify(what === 'list' ? empty : discovery) };
    },
  });
  endings.push(() => server.stop());
  const transport = new HttpTransport({ server: server.url, credentials: fixedCredentials({ headers: {}, tls: {} }) });
  const client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'test' });
  endings.push(() => client.close());
  const clock = new ManualClock();
  const note = (_fields: unknown, message: string) => void said.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const reflector = new Reflector({ client, kind, clock, log, random: () => 0.5 });
  endings.push(() => reflector.stop());
  const count = (what: string) => asked.filter((one) => one === what).length;
  /** Moves time on in steps, after each of which it must have been asked so often in all, and no oftener. */
  const expectAsked = async (what: string, steps: readonly (readonly [pauseMs: number, times: number])[]) => {
    for (const [pauseMs, times] of steps) {
      // Time must not move on before the answer has come and its pause has begun.
      if (pauseMs > 0) await expect.poll(() => clock.hasTimerWithin(LONGEST_PAUSE_MS), PATIENCE).toBe(true);
      await clock.advance(pauseMs);
      await aWhile();
      await expect.poll(() => count(what), PATIENCE).toBe(times);
    }
  };
  return { reflector, said, paths, count, expectAsked };
}

describe('a reflector in trouble', () => {
  it.each([
    ['ends each watch at once', 'cluster does not answer', () => ({ body: '' })],
    ['fails each watch after it has accepted it', 'a watch failed', () => ({ body: line('ERROR', OVERLOADED) })],
  ])('asks less and less often, and complains once, when the server %s: %s', async (_why, text, watch) => {
    const { reflector, said, expectAsked } = await watchingServer({ watch });
    reflector.start();
    await reflector.whenSynced();
    await expectAsked('watch', [
      [0, 1],
      [499, 1],
      [1, 2],
      [999, 2],
      [1, 3],
      [1_999, 3],
      [1, 4],
    ]);
    expect(said).toEqual([text]);
  });

  it('lists anew at once when its place is too old, but not in circles when every place is', async () => {
    const { reflector, expectAsked } = await watchingServer({ watch: () => ({ body: line('ERROR', GONE) }) });
    reflector.start();
    await reflector.whenSynced();
    await expectAsked('list', [
      [0, 1],
      [0, 2],
      [999, 2],
      [1, 3],
      [1_999, 3],
      [1, 4],
    ]);
  });

  it.each([
    ['lists', 'list'],
    ['watches', 'watch'],
  ] as const)('is turned away from %s with 429 without end, and asks less and less often', async (_, what) => {
    const busy = () => ({ status: 429, headers: { 'retry-after': '0' }, body: JSON.stringify(TOO_MANY) });
    const { reflector, said, expectAsked } = await watchingServer({
      watch: busy,
      ...(what === 'list' ? { list: busy } : {}),
    });
    reflector.start();
    await expectAsked(what, [
      [0, 5],
      [499, 5],
      [1, 10],
      [999, 10],
      [1, 15],
      [1_999, 15],
      [1, 20],
    ]);
    expect(said).toEqual(['a watch failed']);
  });

  it.each([
    ['of a megabyte', '9'.repeat(1_000_000)],
    ['that is no number', '__proto__'],
    ['below zero', '-1'],
    ['with more of a query', '8&watch=false&limit=1'],
    ['with a path', '../../api/v1/secrets'],
    ['with a line break', '8\r\nx-evil: 1'],
  ])('takes a resourceVersion as a text, and reports in few words, where the server has one %s', async (_, version) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'odd', namespace: 'a', uid: 'u' } };
    const changed = { ...object, metadata: { ...object.metadata, resourceVersion: version } };
    const { reflector, paths, said } = await watchingServer({
      watch: () => ({
        body: line('ADDED', changed) + line('BOOKMARK', { ...changed, metadata: { resourceVersion: version } }),
      }),
    });
    reflector.start();
    await reflector.whenSynced();
    await expect.poll(() => reflector.list().length, PATIENCE).toBe(1);
    reflector.doubt();
    await aWhile();
    expect(paths.filter((path) => path.includes('secrets') && !path.includes('resourceVersion='))).toEqual([]);
    expect(paths.filter((path) => /watch=false/.test(path))).toEqual([]);
    expect((reflector.problem() ?? '').length).toBeLessThan(1_000);
    expect(JSON.stringify(said).length).toBeLessThan(10_000);
  });

  it('forgets earlier troubles once a watch brought something', async () => {
    const answers = [line('ERROR', OVERLOADED), line('BOOKMARK', bookmark), line('ERROR', OVERLOADED)];
    const { reflector, expectAsked } = await watchingServer({
      watch: () => ({ body: answers.shift() ?? '', open: answers.length === 0 }),
    });
    reflector.start();
    await reflector.whenSynced();
    // The second try brings a bookmark and ends, so the third comes at once; the fourth
    // waits the first pause again.
    await expectAsked('watch', [
      [0, 1],
      [500, 3],
      [499, 3],
      [1, 4],
    ]);
  });

  it('is interrupted from a place that is too old until the next list', async () => {
    const places: string[] = [line('ERROR', GONE)];
    let listed = 0;
    const { reflector, expectAsked } = await watchingServer({
      watch: () => ({ body: places.shift() ?? '', open: false }),
      list: () => {
        listed += 1;
        return listed === 2 ? undefined : { body: JSON.stringify(empty) };
      },
    });
    reflector.start();
    await reflector.whenSynced();
    await expectAsked('list', [
      [0, 1],
      [0, 2],
    ]);
    expect([reflector.interrupted(), reflector.problem()]).toEqual([true, undefined]);
  });

  it('is not interrupted while its watch is open', async () => {
    const { reflector, count } = await watchingServer({ watch: () => ({ body: '', open: true }) });
    reflector.start();
    await expect.poll(() => count('watch'), PATIENCE).toBe(1);
    await expect.poll(() => reflector.interrupted(), PATIENCE).toBe(false);
  });

  it('stops without waiting for a server that does not answer', async () => {
    const { reflector, count } = await watchingServer({ watch: () => ({ body: '' }), list: () => undefined });
    reflector.start();
    await expect.poll(() => count('list'), PATIENCE).toBe(1);
    let stopped = false;
    void reflector.stop().then(() => {
      stopped = true;
    });
    await expect.poll(() => stopped, PATIENCE).toBe(true);
  });
});
