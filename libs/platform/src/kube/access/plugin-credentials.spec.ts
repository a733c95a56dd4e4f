import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedRequest, type ScriptedServer, startScriptedServer } from '#testing/control-plane/scripted-server';
import { PATIENCE } from '#testing/patience';
import type { KubeClient } from '../client/kube-client.port.js';
import { type LoadClustersOptions, loadClusters } from './load-clusters.js';

let folder = '';
let server: ScriptedServer;
let asked: ScriptedRequest[] = [];
let accepted = (_request: ScriptedRequest) => true;
const clients: KubeClient[] = [];
beforeAll(async () => {
  const answer = (request: ScriptedRequest) => {
    asked.push(request);
    return accepted(request) ? { body: '{"gitVersion":"v1.34.4"}' } : { status: 401, body: '{}' };
  };
  server = await startScriptedServer({ protocol: 'h2', answer });
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-plugin-'));
  await writeFile(join(folder, 'ca.crt'), server.ca);
  asked = [];
  accepted = () => true;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  // No child of any test is left.
  await expect.poll(async () => (await pids()).filter(isAlive), PATIENCE).toEqual([]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const answered = (token: string, more = '') =>
  `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token}"${more}}}'`;
/** Counts its runs in a file, and names its process in another. */
const COUNTED = 'echo run >> "$AT/runs"; echo $$ >> "$AT/pids"';

const pids = async (): Promise<number[]> =>
  existsSync(join(folder, 'pids')) ? (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n').map(Number) : [];
const runs = async (): Promise<number> => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length;
/** A process that was ended may be there until its new parent has seen it: a zombie does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^\d+ \(.*\) Z/s.test(existsSync(`/proc/${pid}/stat`) ? readStat(pid) : '');
}
const readStat = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return `${pid} (gone) Z`;
  }
};

type Plugin = Readonly<{
  exec?: object;
  requestMs?: number;
  timeoutMs?: number;
  more?: Omit<LoadClustersOptions, 'fieldManager'>;
}>;

async function withPlugin(
  script: string,
  { exec = {}, requestMs = 10_000, timeoutMs = 10_000, more = {} }: Plugin = {},
) {
  const command = join(folder, 'plugin.sh');
  await writeFile(command, `#!/bin/sh\nAT="${folder}"\n${COUNTED}\n${script}\n`);
  await chmod(command, 0o755);
  const file = join(folder, 'config');
  const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never', ...exec } };
  const cluster = { server: server.url.href, 'certificate-authority': 'ca.crt' };
  const config = {
    contexts: [{ name: 'harbour', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  };
  await writeFile(file, JSON.stringify(config));
  const transport = { requestTimeoutMs: requestMs };
  const [client] = await loadClusters({
    kubeconfigs: [file],
    fieldManager: 'test',
    transport,
    plugins: { timeoutMs },
    ...more,
  });
  if (client === undefined) throw new Error('no client');
  clients.push(client);
  return client;
}

const said = (asking: Promise<unknown>): Promise<string> =>
  asking.then(String, (error: unknown) => (error instanceof Error ? error.message : String(error)));
const tokens = () => asked.map(({ headers }) => headers.authorization);

describe('a plugin that hangs', () => {
  it('is ended with its children, and its cluster is back with the next request', async () => {
    const script = `if [ ! -e "$AT/healed" ]; then
  echo "To sign in, open https://login.example/device" >&2
  sleep 600 & echo $! >> "$AT/pids"
  setsid sleep 600 & echo $! >> "$AT/pids"
  sleep 600
fi
${answered('abc')}`;
    const client = await withPlugin(script, { timeoutMs: 700 });
    expect(await said(client.serverVersion())).toMatch(
      /the credential plugin "\S+plugin\.sh" did not end within 0\.7 s and was killed: To sign in, open https:\/\/login\.example\/device;/,
    );
    await expect.poll(async () => (await pids()).filter(isAlive), PATIENCE).toEqual([]);
    await writeFile(join(folder, 'healed'), '');
    await expect(client.serverVersion()).resolves.toBe('v1.34.4');
    expect(tokens()).toEqual(['Bearer abc']);
  });

  it('is named by requests that end before it, once and not for each of them', async () => {
    const client = await withPlugin('echo "waiting for you" >&2; sleep 600', { requestMs: 400 });
    const text = await said(client.serverVersion());
    expect(text).toMatch(/the credential plugin "\S+" has not answered for \d s: waiting for you/);
    const before = performance.now();
    for (let n = 0; n < 20; n += 1) await said(client.serverVersion());
    expect(performance.now() - before).toBeLessThan(20 * 400);
    expect(await runs()).toBe(1);
  });

  it('is ended when its client is closed', async () => {
    const client = await withPlugin('sleep 600', { requestMs: 300 });
    await said(client.serverVersion());
    await client.close();
    await expect.poll(async () => (await pids()).filter(isAlive), PATIENCE).toEqual([]);
  });

  it('that answers late has answered for the requests after it', async () => {
    const client = await withPlugin(`sleep 1; ${answered('late')}`, { requestMs: 300 });
    expect(await said(client.serverVersion())).toContain('has not answered');
    await expect.poll(() => said(client.serverVersion()), PATIENCE).toBe('v1.34.4');
    expect(await runs()).toBe(1);
  });
});

describe('a plugin', () => {
  it('has an empty standard input', async () => {
    const client = await withPlugin(`read code || true; ${answered('abc')}`);
    await expect(client.serverVersion()).resolves.toBe('v1.34.4');
  });

  it('that leaves a process behind has it ended, and its answer counts', async () => {
    const client = await withPlugin(`sleep 600 & echo $! >> "$AT/pids"\n${answered('abc')}`);
    await expect(client.serverVersion()).resolves.toBe('v1.34.4');
    await expect.poll(async () => (await pids()).filter(isAlive), PATIENCE).toEqual([]);
  });

  it('that floods standard error is named with its first and last words, without secrets', async () => {
    const flood = `echo "first words, token=hush-hush-hush" >&2
head -c 30000000 /dev/zero | tr '\\0' 'x' >&2
printf '\\n\\033[31mlast words eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl\\033[0m\\n' >&2; exit 3`;
    const text = await said((await withPlugin(flood)).serverVersion());
    expect(text).toMatch(/failed: first words, token=\S* .*last words/);
    expect(text).not.toMatch(/hush|eyJ|\p{Cc}/u);
    expect(text.length).toBeLessThan(900);
  });

  it('serves many requests with one run, and with one more after a 401 to all of them', async () => {
    const script = `n=$(wc -l < "$AT/runs")
echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"token-$n\\"}}"`;
    const client = await withPlugin(script);
    await Promise.all(Array.from({ length: 20 }, () => client.serverVersion()));
    expect(await runs()).toBe(1);
    accepted = ({ headers }) => headers.authorization !== 'Bearer token-1';
    await Promise.all(Array.from({ length: 20 }, () => client.serverVersion()));
    expect(await runs()).toBe(2);
    expect(tokens().at(-1)).toBe('Bearer token-2');
  });

  it('is run again before its login ends, while requests go on with it', async () => {
    const script = `n=$(wc -l < "$AT/runs"); until=$(date -u -d '+4 seconds' +%Y-%m-%dT%H:%M:%SZ)
[ $n -gt 1 ] && sleep 0.3
echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"token-$n\\",\\"expirationTimestamp\\":\\"$until\\"}}"`;
    const client = await withPlugin(script);
    await expect
      .poll(async () => {
        await client.serverVersion();
        return tokens().at(-1);
      }, PATIENCE)
      .toBe('Bearer token-2');
    expect(await said(client.serverVersion())).toBe('v1.34.4');
  });

  it('gets the environment of the process without the settings of the hub', async () => {
    const environment = { PATH: process.env['PATH'], HOME: folder, FLOTILLA_REDIS_URL: 'redis://:hush@redis' };
    const client = await withPlugin(`env > "$AT/env"; ${answered('abc')}`, {
      exec: { env: [{ name: 'PROFILE', value: 'prod' }] },
      more: { environment },
    });
    await client.serverVersion();
    const env = await readFile(join(folder, 'env'), 'utf8');
    expect(env).toContain('PROFILE=prod');
    expect(env).toContain(`HOME=${folder}`);
    expect(env).not.toMatch(/FLOTILLA|hush/);
  });

  it.each([
    { exec: { interactiveMode: 'Always' }, says: 'it needs a terminal (interactiveMode: Always)' },
    { script: 'true', says: 'failed: it printed nothing' },
    { script: 'kill -TERM $$', says: 'failed: it was ended by SIGTERM, and it said nothing' },
    { script: 'exit 7', says: 'failed: exit code 7, and it said nothing' },
    { script: 'head -c 2000000 /dev/zero', says: 'failed: it answered more than' },
  ])('that gives no login leaves no request without one: $says', async ({ exec = {}, script = 'true', says }) => {
    const client = await withPlugin(script, { exec });
    const text = await said(client.serverVersion());
    expect(text).toContain(says);
    expect(text).not.toContain('\n');
    expect(asked).toEqual([]);
  });

  it.each([
    { exec: { interactiveMode: 'Sometimes' }, says: /exec\.interactiveMode "Sometimes" is not known/ },
    {
      exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1' },
      says: /exec\.apiVersion .*v1alpha1" is not known/,
    },
  ])('that is configured wrongly is named with its context: $says', async ({ exec, says }) => {
    await expect(withPlugin('true', { exec })).rejects.toMatchObject({
      code: 'ClusterConfigError',
      message: expect.stringMatching(says),
    });
  });
});
