import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QuestionAnswer } from '#core/view/questions/console-question';
import type { Policy } from '#core/view/rights/console-policy';
import { PolicyModel } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import { ManualClock } from '#platform/clock/manual-clock';
import { PATIENCE } from '#testing/patience';
import { contentAnswer, ICON_HASH } from './catalog/content.fixture.js';
import { fillTwoClusters, openConsole, operatorRow, type RunningConsole } from './console.fixture.js';
import type { SignIn } from './sign-in/sign-in.js';

const viewerOf = (namespace: string) => ({ role: 'viewer', clusters: ['west'], namespaces: [namespace] });
const granted = (namespace: string): Policy =>
  PolicyModel.parse({
    grants: [
      { users: ['ann'], role: 'admin', clusters: ['*'] },
      { users: ['owner'], ...viewerOf(namespace) },
    ],
  });
const BEAT_MS = 15_000;

let folder: string;
let audit: string;
let run: RunningConsole;
let clock: ManualClock;
let policy: Policy;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-security-'));
  audit = join(folder, 'audit.jsonl');
  clock = new ManualClock();
  policy = granted('lamps');
  const byName: SignIn = {
    personOf: async ({ cookie: name = '' }) =>
      name === ''
        ? undefined
        : { name, groups: [], by: 'oidc', rights: rightsOf(policy, { name, groups: [] }), session: name, csrf: name },
  };
  const asker = {
    ask: async (question: Parameters<typeof contentAnswer>[0]) => ANSWERS[question.ask] ?? contentAnswer(question),
  };
  run = await openConsole({ FLOTILLA_CONSOLE_AUDIT_FILE: audit }, { clock, signIns: [byName], asker });
  fillTwoClusters(run.view);
});
afterEach(async () => {
  await run.service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const PACKED = Buffer.from('packed').toString('base64');
const ANSWERS: Readonly<Record<string, QuestionAnswer>> = {
  object: { answer: { yaml: 'kind: Subscription\n', cut: false } },
  'whole-object': { answer: { gzip: PACKED } },
};

/** One of each kind: page, file, API, refusal, stream, icon. */
const ADDRESSES = ['/', '/operators/x', '/assets/none.js', '/openapi.json', '/api/v1/me', '/api/v1/none', '/auth/ways'];
const ICON = `/icons/${'a'.repeat(16)}/lamp/${ICON_HASH}`;

describe('what every answer of the console says to browsers', () => {
  it('is one policy, in which nothing but its own scripts and styles runs', async () => {
    const wanted = [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
      ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
      ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
    ].join('; ');
    for (const path of ADDRESSES)
      expect([path, (await run.get(path)).headers.get('content-security-policy')]).toEqual([path, wanted]);
    const stream = await run.get('/api/v1/events');
    expect(stream.headers.get('content-security-policy')).toBe(wanted);
    expect(stream.headers.get('x-content-type-options')).toBe('nosniff');
    await stream.body?.cancel();
    const icon = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    expect((await run.get(ICON)).headers.get('content-security-policy')).toBe(icon);
  });

  it('lets no page show it in a frame, whatever it is', async () => {
    const answers = [...ADDRESSES, ICON, `${ICON}0`, '/auth/login', '/icons/x/y/z', '/api/v1/catalogs/x/packages'];
    for (const path of answers) {
      for (const headers of [undefined, {}]) {
        const answer = await run.get(path, headers);
        expect([path, answer.headers.get('x-frame-options')]).toEqual([path, 'DENY']);
      }
    }
  });

  it('sets no cookie where the key of the machine signs in: cookies go to every port of a host', async () => {
    for (const path of [...ADDRESSES, ICON]) {
      const { headers } = await run.get(path);
      expect([path, headers.get('set-cookie')]).toEqual([path, null]);
    }
  });

  it('lets nothing that is signed in be kept by what lies between', async () => {
    for (const path of ['/api/v1/me', '/api/v1/fleet', '/api/v1/operators']) {
      const { headers } = await run.get(path);
      expect([path, headers.get('cache-control')]).toEqual([path, 'private, no-cache']);
      expect(headers.get('vary')).toContain('cookie');
    }
    expect((await run.get('/api/v1/none')).headers.get('cache-control')).toBe('no-store');
  });
});

/** What a person's stream has sent so far. */
async function follow(name: string) {
  const { body } = await run.get('/api/v1/events', { cookie: name });
  const got = { text: '', isOver: false };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const piece of body ?? []) got.text += decoder.decode(piece, { stream: true });
  })()
    .catch(() => undefined)
    .finally(() => {
      got.isOver = true;
    });
  await expect.poll(() => got.text, PATIENCE).toContain('id: ');
  return got;
}

describe('the stream', () => {
  it('has what a person may see, and nothing else', async () => {
    const [owner, ann] = [await follow('owner'), await follow('ann')];
    const standing = 'blocked';
    run.view.write({ cluster: 'east', changed: [operatorRow('east', 'harbor', { standing })], removed: [] });
    run.view.write({ cluster: 'west', changed: [operatorRow('west', 'harbor', { standing })], removed: [] });
    run.view.write({ cluster: 'west', changed: [], removed: ['subscription/harbors/harbor'] });
    run.view.write({ cluster: 'west', changed: [operatorRow('west', 'lamp', { standing })], removed: [] });
    await expect
      .poll(async () => {
        await clock.advance(500);
        return owner.text;
      }, PATIENCE)
      .toContain('"lamp"');
    await expect.poll(() => ann.text, PATIENCE).toContain('"lamp"');
    expect(ann.text).toContain('harbor');
    expect(owner.text).not.toMatch(/harbor|east/);
  });

  it('ends where the rights of its person have changed, and goes on for others', async () => {
    const [owner, ann] = [await follow('owner'), await follow('ann')];
    policy = granted('harbors');
    await expect
      .poll(async () => {
        await clock.advance(BEAT_MS);
        return owner.isOver;
      }, PATIENCE)
      .toBe(true);
    expect(ann.isOver).toBe(false);
    const again = JSON.parse(await (await run.get('/api/v1/operators', { cookie: 'owner' })).text());
    expect(again).toMatchObject({ total: 1, items: [{ name: 'harbor', cluster: 'west' }] });
  });
});

describe('an object that a person reads', () => {
  const about = { cluster: 'west', kind: 'Subscription', namespace: 'lamps', name: 'lamp' };
  const read = (ask = 'object') =>
    run.post(`/api/v1/questions/${ask}`, about, {
      ...{ cookie: 'owner', 'x-csrf-token': 'owner', 'sec-fetch-site': 'same-origin' },
    });

  it('has a line in the audit log', async () => {
    expect((await read()).status).toBe(200);
    const lines = (await readFile(audit, 'utf8')).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      ...{ event: 'object-read', person: 'owner', verb: 'Subscription', targets: ['west/lamps/lamp'] },
    });
  });

  it('has one where it is downloaded, too, which says that all of it was', async () => {
    const answer = await read('whole-object');
    expect(await answer.json()).toEqual({ gzip: PACKED });
    const lines = (await readFile(audit, 'utf8')).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      ...{ event: 'object-read', person: 'owner', targets: ['west/lamps/lamp'], outcome: 'whole' },
    });
  });

  it('is not shown where that line cannot be written', async () => {
    await rm(folder, { recursive: true, maxRetries: 5 });
    for (const ask of ['object', 'whole-object']) {
      const refused = await read(ask);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'no-audit']);
    }
  });

  it.each(['Secret', 'ConfigMap', 'Deployment'])('is never a %s', async (kind) => {
    for (const ask of ['object', 'whole-object'])
      expect((await run.post(`/api/v1/questions/${ask}`, { ...about, kind })).status).toBe(404);
  });
});
