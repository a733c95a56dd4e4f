import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePorts } from '#testing/control-plane/free-ports';
import { run } from '../../program.js';
import type { Io } from '../../terminal/io.js';

const ONE_CLUSTER = `apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: 'http://127.0.0.1:1'}}]
users: [{name: one, user: {}}]
contexts: [{name: one, context: {cluster: one, user: one}}]
`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-up-'));
  await writeFile(join(folder, 'broken'), 'clusters: [');
  await writeFile(join(folder, 'empty'), 'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
afterEach(() => vi.unstubAllEnvs());

async function flotilla(...args: readonly string[]) {
  const seen = { out: '', err: '', code: 0 };
  const io: Io = {
    out: (text) => {
      seen.out += text;
    },
    err: (text) => {
      seen.err += text;
    },
    exit: (code) => {
      seen.code = code;
    },
    stdin: async () => '',
  };
  await run(args, io);
  return seen;
}

describe('flotilla up with settings that are not valid', () => {
  const cases: readonly (readonly [why: string, args: (folder: string) => string[], says: RegExp])[] = [
    [
      'a kubeconfig that is not there',
      (at) => ['--kubeconfig', `${at}/none`],
      /kubeconfig: open .*none: no such file or directory/,
    ],
    ['a kubeconfig that is no YAML', (at) => ['--kubeconfig', `${at}/broken`], /broken/],
    [
      'a context that no file has',
      (at) => ['--kubeconfig', `${at}/empty`, '--context', 'x'],
      /there is no context "x"/,
    ],
    ['a kubeconfig without any context', (at) => ['--kubeconfig', `${at}/empty`], /no context in .*empty: name/],
    ['a port that is none', () => ['--port', 'http'], /invalid --port "http"/],
    ['a port out of range', () => ['--port', '70000'], /invalid --port "70000"/],
  ];
  it.each(cases)('%s: one line and exit code 2, before anything is started', async (_why, args, says) => {
    // Not the default port: another program of this machine may listen there.
    const [port] = await freePorts(1);
    const { out, err, code } = await flotilla('up', '--port', String(port), ...args(folder));
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toMatch(says);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('a port that another program has: said before anything is started', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await writeFile(join(folder, 'one'), ONE_CLUSTER);
    const broken = await flotilla('up', '--port', String(port), '--kubeconfig', join(folder, 'broken'));
    expect(broken.err, 'a kubeconfig that cannot be read comes first').toMatch(/broken/);
    const { out, err, code } = await flotilla('up', '--port', String(port), '--kubeconfig', join(folder, 'one'));
    other.close();
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toBe(
      `error: 127.0.0.1:${port} is used by another program: choose another port with --port, 0 for any free one\n`,
    );
  });

  it('a setting that cannot be used: named, exit code 2', async () => {
    vi.stubEnv('FLOTILLA_RESYNC_INTERVAL', 'soon');
    const { err, code } = await flotilla('up');
    expect(code).toBe(2);
    expect(err).toMatch(/^error: FLOTILLA_RESYNC_INTERVAL: "soon" is not a duration/);
  });

  it('without arguments and without any kubeconfig: says what to name, and what needs no cluster', async () => {
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', folder);
    vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'joined'));
    const { out, err, code } = await flotilla('up');
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toBe(`error: no kubeconfig was found: pass --kubeconfig, set KUBECONFIG, or create ~/.kube/config

"flotilla up" runs the whole hub on this machine until Ctrl-C, for clusters of yours. A cluster where OLM is at work is left alone.
  flotilla demo                                  see it at work on two simulated clusters
  flotilla up --kubeconfig FILE --context NAME   manage a cluster of yours
  flotilla doctor                                check this machine for a hub
`);
  });

  it('without arguments where the kubeconfig has no current context: names those that there are', async () => {
    await writeFile(join(folder, 'one'), ONE_CLUSTER);
    vi.stubEnv('KUBECONFIG', join(folder, 'one'));
    vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'joined'));
    const { err, code } = await flotilla('up');
    expect(code).toBe(2);
    expect(err).toMatch(/^error: .*: no current-context is set; name one with --context; there are: one\n$/);
  });
});
