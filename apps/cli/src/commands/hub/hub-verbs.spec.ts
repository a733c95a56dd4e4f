import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePorts } from '#testing/control-plane/free-ports';
import { type FakeHub, type HubPages, READY_HUB, startFakeHub } from '../../hub/fake-hub.fixture.js';
import { runFlotilla } from '../../run-flotilla.fixture.js';

let running: FakeHub | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
  vi.unstubAllEnvs();
});
const startHub = async (pages?: HubPages): Promise<string> => {
  running = await startFakeHub(pages);
  return running.url;
};
const NOT_READY: HubPages = {
  ...READY_HUB,
  '/readyz': {
    status: 503,
    body: { status: 'error', details: { redis: { status: 'down', detail: 'no answer within 2000 ms' } } },
  },
};

/** An address of this machine where nothing listens. */
const unusedAddress = async (): Promise<string> => `http://127.0.0.1:${(await freePorts(1))[0]}`;

describe('flotilla health', () => {
  it('shows each check of a hub that is ready, exit code 0', async () => {
    const hub = await startHub();
    const { out, err, exit } = await runFlotilla(['health', '--hub', hub]);
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toBe(
      [`HUB ${hub} ready`, '', 'CHECK    STATUS  DETAIL', 'redis    up      works', 'watches  up      works', ''].join(
        '\n',
      ),
    );
  });

  it('is 1 where the hub is not ready, and says what is not', async () => {
    const hub = await startHub(NOT_READY);
    const { out, exit } = await runFlotilla(['health', '--hub', hub]);
    expect(exit).toBe(1);
    expect(out).toContain(`HUB ${hub} NOT READY\n`);
    expect(out).toContain('redis  down    no answer within 2000 ms\n');
    expect(JSON.parse((await runFlotilla(['health', '--hub', hub, '-o', 'json'])).out)).toMatchObject({
      verdict: 'no',
      items: [{ url: hub, ready: false, checks: [{ name: 'redis', status: 'down' }] }],
    });
  });

  it('is 3 with nothing on standard output where no hub answers', async () => {
    const hub = await unusedAddress();
    const { out, err, exit } = await runFlotilla(['health', '--hub', hub, '-o', 'json']);
    expect({ out, exit }).toEqual({ out: '', exit: 3 });
    expect(err).toMatch(new RegExp(`^error: hub ${hub} does not answer \\(.+\\); name another hub with --hub\n$`));
  });

  it('is 0 where a check is degraded: the hub works, but for a part', async () => {
    const membership = { status: 'degraded', detail: 'context "liar" is refused' };
    const body = { status: 'degraded', details: { membership, redis: { status: 'up', detail: '' } } };
    const hub = await startHub({ ...READY_HUB, '/readyz': { body } });
    const { out, exit } = await runFlotilla(['health', '--hub', hub]);
    expect(out).toMatch(/^HUB \S+ ready\n/);
    expect(out).toMatch(/membership +degraded +context "liar" is refused/);
    expect(exit).toBe(0);
  });

  it('is 3 where one of two that were named does not answer', async () => {
    const hub = await startHub();
    const { out, exit } = await runFlotilla(['health', '--hub', hub, '--hub', await unusedAddress(), '-o', 'json']);
    expect({ verdict: (JSON.parse(out) as { verdict: string }).verdict, exit }).toEqual({
      verdict: 'incomplete',
      exit: 3,
    });
  });

  it('does not take another program for the hub', async () => {
    const { err, exit } = await runFlotilla(['health', '--hub', await startHub({})]);
    expect(exit).toBe(3);
    expect(err).toContain('answers 404 at /readyz');
  });

  it('asks the address of the setting where --hub is not given', async () => {
    const hub = await startHub();
    vi.stubEnv('FLOTILLA_CONTENT_URL', hub);
    expect((await runFlotilla(['health'])).out).toContain(`HUB ${hub} ready`);
  });
});

describe('a hub that asks for a token', () => {
  const TOKEN = 'token-of-the-command-0123';
  const WITHHELD: HubPages = {
    ...READY_HUB,
    '/readyz': { body: { status: 'ok', details: { watches: { status: 'up' }, redis: { status: 'degraded' } } } },
    '/version': { status: 401, body: {} },
  };
  const withToken = async (text: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-verbs-'));
    await writeFile(join(folder, 'token'), text);
    vi.stubEnv('FLOTILLA_HUB_TOKEN_FILE', join(folder, 'token'));
  };

  it('gets it with every request, and its answers name the setting where it is missing', async () => {
    const hub = await startHub(WITHHELD);
    expect((await runFlotilla(['health', '--hub', hub])).out).toMatch(/redis .*FLOTILLA_HUB_TOKEN_FILE/);
    expect((await runFlotilla(['version', '--hub', hub])).err).toContain('FLOTILLA_HUB_TOKEN_FILE');
    expect(running?.authorizations).toEqual([undefined, undefined]);
    await withToken(`${TOKEN}\n`);
    await runFlotilla(['health', '--hub', hub]);
    expect(running?.authorizations.at(-1)).toBe(`Bearer ${TOKEN}`);
  });

  it.each(['two tokens', '', 'x'.repeat(20_000)])(
    'reports a file that does not hold one token: %.12j',
    async (text) => {
      await withToken(text);
      const { err, exit } = await runFlotilla(['health', '--hub', await startHub()]);
      expect([exit, err]).toEqual([
        2,
        expect.stringMatching(/^error: FLOTILLA_HUB_TOKEN_FILE: .*(not a token|only a bearer token)/),
      ]);
      expect(running?.authorizations).toEqual([]);
    },
  );

  it('may manage the cluster that is to be removed: it is not removed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-verbs-'));
    const cluster = { server: 'https://127.0.0.1:1' };
    const kubeconfig = {
      ...{ apiVersion: 'v1', kind: 'Config', users: [{ name: 'u', user: { token: 't' } }] },
      clusters: [{ name: 'east', cluster }],
      contexts: [{ name: 'east', context: { cluster: 'east', user: 'u' } }],
    };
    await writeFile(join(folder, 'clusters.yaml'), JSON.stringify(kubeconfig));
    vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'clusters.yaml'));
    const hub = await startHub(WITHHELD);
    const { err, exit } = await runFlotilla(['clusters', 'remove', 'east', '--yes', '--hub', hub]);
    expect([exit, err]).toEqual([1, expect.stringContaining('does not list its clusters without a token')]);
    expect(err).toContain('FLOTILLA_HUB_TOKEN_FILE');
  });
});

describe('flotilla version', () => {
  beforeEach(async () => vi.stubEnv('FLOTILLA_CONTENT_URL', await unusedAddress()));
  const own = new RegExp(
    `^flotilla \\d+\\.\\d+\\.\\d+.*, Node ${process.version}, ${process.platform}/${process.arch}\n`,
  );

  it('prints the build of the command alone with --client', async () => {
    const { out, err, exit } = await runFlotilla(['version', '--client']);
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toMatch(own);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    const plain = await runFlotilla(['--version']);
    expect(out).toContain(`flotilla ${plain.out.trim()}`);
  });

  it('prints the build of the hub beside it', async () => {
    const hub = await startHub();
    const { out, exit } = await runFlotilla(['version', '--hub', hub]);
    expect(exit).toBe(0);
    expect(out).toMatch(own);
    expect(out).toContain(`hub      9.8.7 (commit cccccccccccc), Node v24.0.0, linux/arm64 at ${hub}\n`);
    expect(out).toMatch(/^fit {6}no: releases \d+\.\d+\.\d+ and 9\.8\.7 are not compatible: use the command of/m);
    const { out: data } = await runFlotilla(['version', '--hub', hub, '-o', 'json']);
    expect(JSON.parse(data)).toMatchObject({ verdict: 'yes', hub: { url: hub, version: '9.8.7', fits: false } });
  });

  it('looks for a hub on this machine', async () => {
    const [hub, nowhere] = [await startHub(), await unusedAddress()];
    vi.stubEnv('FLOTILLA_CONTENT_URL', '');
    vi.stubEnv('FLOTILLA_CATALOG_POLLER_PORT', new URL(hub).port);
    expect((await runFlotilla(['version'])).out).toContain(
      `9.8.7 (commit cccccccccccc), Node v24.0.0, linux/arm64 at ${hub}\n`,
    );
    vi.stubEnv('FLOTILLA_CATALOG_POLLER_PORT', new URL(nowhere).port);
    expect(await runFlotilla(['version'])).toMatchObject({
      out: expect.stringContaining(`none answers at ${nowhere}\n`),
      exit: 0,
    });
  });

  it('is 0 where no hub answers that was not named, and 3 where it was named', async () => {
    const { out, exit } = await runFlotilla(['version']);
    expect(exit).toBe(0);
    expect(out).toContain('none answers at http://127.0.0.1:');
    const named = await runFlotilla(['version', '--hub', await unusedAddress()]);
    expect(named.exit).toBe(3);
    expect(named.out).toMatch(own);
    expect(named.err).toContain('does not answer');
  });
});

describe('--hub of every verb', () => {
  it.each([
    ['status'],
    ['health'],
    ['version'],
    ['explain', 'sub', 'x'],
    ['plan', '--live'],
    ['catalog', 'packages', '--cluster', 'east'],
    ['clusters', 'remove', 'east'],
  ])('%s: one message for what is no URL, exit code 2', async (...verb) => {
    expect(await runFlotilla([...verb, '--hub', 'localhost:8080'])).toEqual({
      out: '',
      err: 'error: invalid --hub "localhost:8080": expected a URL such as http://127.0.0.1:8080\n',
      exit: 2,
    });
  });
});
