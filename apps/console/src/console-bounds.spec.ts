import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { Problem } from './api/actions.schema.js';
import { fillTwoClusters, openConsole, type RunningConsole } from './console.fixture.js';

let run: RunningConsole;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock();
  const asker = { ask: () => new Promise<never>(() => undefined) };
  run = await openConsole({}, { clock, asker });
  fillTwoClusters(run.view);
});
afterEach(() => run.service.stop());

const bearer = () => ({ authorization: `Bearer ${run.key}` });
const codeOf = async (answer: Response): Promise<string> => Problem.parse(await answer.json()).code;
const approval = { verb: 'approve', planHash: 'hash-1', targets: [{ cluster: 'west', namespace: 'lamps', name: 'p' }] };

describe('the console bounds', () => {
  it('requests of a session, and says after how long the next one is taken', async () => {
    const answers = await Promise.all(Array.from({ length: 70 }, () => run.get('/api/v1/me')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    await clock.advance(1_000);
    expect((await run.get('/api/v1/me')).status).toBe(200);
  });

  it('requests without a sign-in, too', async () => {
    const answers = await Promise.all(Array.from({ length: 70 }, () => run.get('/api/v1/me', {})));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
    // Others on the same machine are not shut out.
    expect((await run.get('/api/v1/me')).status).toBe(200);
  });

  it('streams of a session to four', async () => {
    const open = new AbortController();
    const url = new URL('/api/v1/events', run.service.origin);
    const stream = () => fetch(url, { headers: bearer(), signal: open.signal });
    const four = [await stream(), await stream(), await stream(), await stream()];
    expect(four.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const fifth = await stream();
    expect([fifth.status, await codeOf(fifth)]).toEqual([429, 'too-many-streams']);
    open.abort();
  });

  it('questions under way to eight of a person', async () => {
    const about = { cluster: 'west', kind: 'Subscription', namespace: 'harbors', name: 'harbor' };
    const open = new AbortController();
    const ask = () =>
      fetch(new URL('/api/v1/questions/object', run.service.origin), {
        method: 'POST',
        headers: { ...bearer(), 'content-type': 'application/json' },
        body: JSON.stringify(about),
        signal: open.signal,
      });
    const asked = Array.from({ length: 9 }, () => ask().catch(() => undefined));
    // The first eight have no answer: the one that has is the ninth.
    const refused = await Promise.race(asked);
    expect([refused?.status, refused && (await codeOf(refused))]).toEqual([429, 'too-many-questions']);
    open.abort();
    await Promise.all(asked);
  });

  it('what is sent to a quarter of a mebibyte', async () => {
    const answer = await run.post('/api/v1/actions', { ...approval, comment: 'x'.repeat(300_000) });
    expect(answer.status).toBe(413);
  });
});

describe('a write to the console', () => {
  const key = { 'idempotency-key': 'a-key-of-its-own' };
  it.each([
    { because: 'from another site', headers: { 'sec-fetch-site': 'cross-site' }, status: 403 },
    { because: 'from another subdomain', headers: { 'sec-fetch-site': 'same-site' }, status: 403 },
    { because: 'from another origin', headers: { origin: 'https://evil.example' }, status: 403 },
    { because: 'as a form can send it', headers: { 'content-type': 'text/plain' }, status: 415 },
  ])('is refused $because', async ({ headers, status }) => {
    const answer = await run.post('/api/v1/actions', approval, { ...bearer(), ...key, ...headers });
    expect(answer.status).toBe(status);
  });

  it('is allowed to no page of another origin', async () => {
    const url = new URL('/api/v1/actions', run.service.origin);
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await fetch(url, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(404);
    for (const { headers: sent } of [answer, await run.get('/api/v1/me')])
      expect([...sent.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the headers of every answer', () => {
  it('keep it out of frames, of other sites, and of other types of content', async () => {
    const answers = [run.get('/'), run.get('/api/v1/me'), run.get('/api/v1/none'), run.get('/api/v1/me', {})];
    for (const { headers } of await Promise.all(answers)) {
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('a console behind an https address', () => {
  /** Headers that a page cannot set. */
  const raw = (port: number, headers: Readonly<Record<string, string>>) =>
    new Promise<{ status: number | undefined; hsts: unknown }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/', headers }, (answer) => {
        answer.resume();
        resolve({ status: answer.statusCode, hsts: answer.headers['strict-transport-security'] });
      })
        .once('error', reject)
        .end();
    });

  it('answers under this name alone, whatever a proxy forwards, and is kept to https', async () => {
    const far = await openConsole({ FLOTILLA_CONSOLE_EXTERNAL_URL: 'https://flotilla.example.com' });
    try {
      expect(await raw(far.port, { host: 'flotilla.example.com' })).toEqual({
        status: 200,
        hsts: expect.stringContaining('max-age='),
      });
      const forged = { host: 'evil.example', 'x-forwarded-host': 'flotilla.example.com' };
      expect(await raw(far.port, forged)).toMatchObject({ status: 421 });
      expect(await raw(far.port, { host: '127.0.0.1' })).toMatchObject({ status: 421 });
    } finally {
      await far.service.stop();
    }
  });
});
