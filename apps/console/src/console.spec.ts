import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorRow } from '#core/view/rows/rows';
import { Problem } from './api/actions.schema.js';
import * as lists from './api/lists.schema.js';
import { contentAnswer } from './catalog/content.fixture.js';
import { fillTwoClusters, openConsole, operatorRow, type RunningConsole } from './console.fixture.js';
import { API_ROUTES } from './console.service.js';

let run: RunningConsole;
beforeAll(async () => {
  run = await openConsole({}, { asker: { ask: async (question) => contentAnswer(question) } });
  fillTwoClusters(run.view);
});
afterAll(() => run.service.stop());

const json = async (path: string): Promise<unknown> => (await run.get(path)).json();

/** With headers that a browser would not let a page set. */
const rawStatus = (path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    request(new URL(path, run.service.origin), { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .once('error', reject)
      .end();
  });

describe('the console on loopback', () => {
  it('prints a link whose key signs in, from a file that its owner alone reads', async () => {
    expect(run.service.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/);
    expect(lists.Me.parse(await json('/api/v1/me'))).toMatchObject({ name: 'local', by: 'loopback' });
    const { mode } = await stat(run.keyFile);
    expect(mode & 0o777).toBe(0o600);
  });

  it('answers nothing of the fleet without the key', async () => {
    for (const path of ['/api/v1/me', '/api/v1/fleet', '/api/v1/operators', '/api/v1/events', '/openapi.json']) {
      const answer = await run.get(path, { authorization: 'Bearer 0123456789abcdef0123456789abcdef' });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(Problem.parse(await answer.json()).code).toBe('signed-out');
    }
  });

  it('refuses requests for another host, as rebinding makes them', async () => {
    expect(await rawStatus('/', { host: 'evil.example.com' })).toBe(421);
    expect(await rawStatus('/', { host: 'localhost:8083' })).toBe(200);
  });

  it('serves its page at every address, with a policy that runs nothing else', async () => {
    const withDots = ['/clusters/east.example.com', '/rollouts/lamp@lamp.v1.1.0'];
    for (const path of ['/', '/operators', '/clusters/east/harbors/subscriptions/harbor', ...withDots]) {
      const answer = await run.get(path, {});
      expect(answer.status).toBe(200);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
    }
    for (const path of ['/assets/none.js', '/favicon.ico']) expect((await run.get(path, {})).status).toBe(404);
    expect((await run.get('/console-key', {})).status).not.toBe(500);
    expect(await (await run.get('/../console-key', {})).text()).not.toContain(run.key);
  });
});

describe('the API', () => {
  // What became of an action: console-actions.extended.spec.ts.
  const PATHS: Readonly<Record<string, string>> = {
    '/rollouts/:id': '/rollouts/lamp@lamp.v1.1.0',
    '/rollouts/:id/decider': '/rollouts/lamp@lamp.v1.1.0/decider',
    '/can-i': '/can-i?verb=see',
    '/version-trend': '/version-trend?package=lamp',
    '/catalogs/:id/packages': `/catalogs/${'a'.repeat(16)}/packages`,
    '/catalogs/:id/packages/:package': `/catalogs/${'a'.repeat(16)}/packages/lamp`,
    '/catalogs/:id/packages/:package/graph': `/catalogs/${'a'.repeat(16)}/packages/lamp/graph?from=lamp.v1.0.0`,
  };

  it('answers every route that reads in the form that its document promises', async () => {
    for (const route of API_ROUTES.filter(({ method, path }) => method === 'GET' && path !== '/actions/:id')) {
      const answer = await run.get(`/api/v1${PATHS[route.path] ?? route.path}`);
      expect([route.path, answer.status]).toEqual([route.path, 200]);
      expect(route.answer.safeParse(await answer.json())).toMatchObject({ success: true });
    }
  });

  it('documents every route as OpenAPI 3.1', async () => {
    const document = (await json('/openapi.json')) as { openapi: string; paths: Record<string, unknown> };
    expect(document.openapi).toBe('3.1.0');
    for (const { path } of API_ROUTES)
      expect(document.paths).toHaveProperty([`/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`]);
  });

  it('filters, counts and cuts on the server', async () => {
    const all = lists.OperatorList.parse(await json('/api/v1/operators?limit=1&facets=true'));
    expect(all).toMatchObject({ total: 3, items: [{ cluster: 'west', name: 'harbor' }] });
    expect(all.facets?.['standing']).toContainEqual({ value: 'failed', count: 1 });
    const harbor = lists.OperatorList.parse(await json('/api/v1/operators?package=harbor&sort=cluster'));
    expect(harbor.items.map(({ cluster }) => cluster)).toEqual(['east', 'west']);
    const [cause] = lists.CauseList.parse(await json('/api/v1/causes')).items;
    const path = `/api/v1/operators?cause=${encodeURIComponent(cause?.key ?? '')}`;
    expect(lists.OperatorList.parse(await json(path)).total).toBe(1);
  });

  it('counts the columns that are asked for, and says which it does not count', async () => {
    const { facets } = lists.OperatorList.parse(await json('/api/v1/operators?facets=standing,catalog'));
    expect(Object.keys(facets ?? {}).toSorted()).toEqual(['catalog', 'standing']);
    const packages = lists.PackageList.parse(await json('/api/v1/packages?facets=standing,catalog'));
    expect(Object.keys(packages.facets ?? {})).toEqual(['catalog']);
    const answer = await run.get('/api/v1/operators?facets=standing,cause');
    expect(answer.status).toBe(400);
    expect(Problem.parse(await answer.json()).detail).toContain('does not count cause');
  });

  it('says which filter a list does not have', async () => {
    const answer = await run.get('/api/v1/clusters?digest=x');
    expect(answer.status).toBe(400);
    expect(Problem.parse(await answer.json()).detail).toContain('digest');
  });

  it('answers 304 where nothing changed', async () => {
    const path = '/api/v1/search?q=harbor';
    const etag = (await run.get(path)).headers.get('etag') ?? '';
    const same = await run.get(path, { authorization: `Bearer ${run.key}`, 'if-none-match': etag });
    expect(same.status).toBe(304);
  });
});

class Reading {
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;
  constructor({ body }: Response) {
    this.#reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  }
  /** What comes until something of this form has come. */
  async until(wanted: RegExp): Promise<string> {
    let text = '';
    while (!wanted.test(text)) text += (await this.#reader?.read())?.value ?? '';
    return text;
  }
  async end(): Promise<void> {
    await this.#reader?.cancel();
  }
}

describe('the stream', () => {
  const streamOf = async ({ get, key }: RunningConsole, lastEventId?: string) =>
    new Reading(
      await get('/api/v1/events', {
        authorization: `Bearer ${key}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      }),
    );
  const change = (standing: OperatorRow['standing']) =>
    run.view.write({ cluster: 'east', changed: [operatorRow('east', 'harbor', { standing })], removed: [] });
  const ROWS = /event: rows[\s\S]*\n\n/;

  it('sends what changed, and what a client missed that comes back', async () => {
    const first = await streamOf(run);
    const [, id = ''] = /id: (\S+)/.exec(await first.until(/id: .*\n/)) ?? [];
    change('blocked');
    expect(await first.until(ROWS)).toContain('"standing":"blocked"');
    await first.end();

    const back = await streamOf(run, id);
    expect(await back.until(/event: (rows|reset)[\s\S]*\n\n/)).toContain('"standing":"blocked"');
    await back.end();
  });

  it('begins at the place that answers name, as long as nothing changes', async () => {
    const placeOfAnswer = async () => (await run.get('/api/v1/fleet')).headers.get('event-place');
    const before = await placeOfAnswer();
    const stream = await streamOf(run);
    const begin = await stream.until(/id: .*\n/);
    expect(begin).toContain(`id: ${before}\n`);
    change('under-way');
    await stream.until(ROWS);
    await stream.end();
    expect(await placeOfAnswer()).not.toBe(before);
  });

  it('has a client read anew that comes from a console before its restart, or from another one', async () => {
    const before = await streamOf(run);
    const [, id = ''] = /id: (\S+)/.exec(await before.until(/id: .*\n/)) ?? [];
    await before.end();
    // What happens while no console runs is in no stream.
    change('failed');
    const later = await openConsole({}, { reader: run.view });
    const other = await streamOf(later);
    await other.until(/id: .*\n/);
    change('under-way');
    await other.until(ROWS);
    await other.end();
    const back = await streamOf(later, id);
    expect(await back.until(/event: .*\n/)).toContain('event: reset');
    await back.end();
    await later.service.stop();
  });
});

describe('where the console would be reached from elsewhere', () => {
  it('does not start without protection', async () => {
    await expect(openConsole({ FLOTILLA_BIND_ADDRESS: '0.0.0.0' })).rejects.toThrow('without protection');
  });
});
