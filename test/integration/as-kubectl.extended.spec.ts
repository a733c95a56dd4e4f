import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { needing, programs } from '#testing/report/needs';

const kubectl = await programs({ program: 'kubectl' });

/** Kubeconfigs of one input, by file. SERVER in them stands for an API server that answers. */
type Input = Readonly<{ input: string; files: Readonly<Record<string, string>>; context?: string }>;
type Outcome = 'answers' | 'refused';

const GOOD = `clusters: [{name: good, cluster: {server: SERVER, certificate-authority: ca.pem}}]
users: [{name: good, user: {token: abc}}]
contexts:
- {name: good, context: {cluster: good, user: good}}`;
/** A kubeconfig with one good context and this besides. */
const beside = (more: string) => ({
  config: `apiVersion: v1\nkind: Config\n${GOOD}\n${more}\ncurrent-context: good\n`,
});
const PARTS = `apiVersion: v1
kind: Config
clusters: [{name: prod, cluster: {server: SERVER, certificate-authority: ca.pem}}]
users: [{name: me, user: {token: abc}}]
`;
const SPLIT = `apiVersion: v1
kind: Config
contexts: [{name: prod, context: {cluster: prod, user: me}}]
current-context: prod
`;
const DEAD = PARTS.replace('SERVER', 'https://127.0.0.1:1');

const KUBECONFIGS: readonly (Input & Readonly<{ outcome: Outcome }>)[] = [
  {
    input: 'a context with an empty cluster',
    files: beside('- {name: x, context: {cluster: "", user: ""}}'),
    outcome: 'answers',
  },
  {
    input: 'a context without a cluster',
    files: beside('- {name: x, context: {namespace: team-a}}'),
    outcome: 'answers',
  },
  { input: 'a context that is null', files: beside('- {name: x, context: null}'), outcome: 'answers' },
  {
    input: 'a context with an empty name',
    files: beside('- {name: "", context: {cluster: good, user: good}}'),
    outcome: 'answers',
  },
  { input: 'an extension without a name', files: beside('extensions: [{extension: {a: b}}]'), outcome: 'answers' },
  {
    input: 'a context that leads to no cluster',
    files: beside('- {name: x, context: {cluster: gone, user: good}}'),
    outcome: 'answers',
  },
  {
    input: 'the context without a cluster, asked for',
    files: beside('- {name: x, context: {namespace: team-a}}'),
    context: 'x',
    outcome: 'refused',
  },
  {
    input: 'a context that is not there, asked for',
    files: beside('preferences: {}'),
    context: 'x',
    outcome: 'refused',
  },
  {
    input: 'a context in one file, its cluster and user in another',
    files: { a: SPLIT, b: PARTS },
    outcome: 'answers',
  },
  { input: 'the same in the other order', files: { a: PARTS, b: SPLIT }, outcome: 'answers' },
  {
    input: 'a cluster in two files, of which the first answers',
    files: { a: PARTS, b: DEAD, c: SPLIT },
    outcome: 'answers',
  },
  {
    input: 'a cluster in two files, of which the second answers',
    files: { a: DEAD, b: PARTS, c: SPLIT },
    outcome: 'refused',
  },
  { input: 'a file that is no YAML', files: { config: '{{{' }, outcome: 'refused' },
];

const CREDENTIAL = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"abc"}}';
const answering = (text: string) => `#!/bin/sh\necho '${text}'\n`;
const without = (from: string, to: string) => answering(CREDENTIAL.replace(from, to));
/** Login plugins, by their behaviour. */
const PLUGINS: readonly Readonly<{ input: string; script: string; outcome: Outcome }>[] = [
  { input: 'a token', script: answering(CREDENTIAL), outcome: 'answers' },
  {
    input: 'a question to standard input, and a token without an answer',
    script: `#!/bin/sh\nread code || true\necho '${CREDENTIAL}'\n`,
    outcome: 'answers',
  },
  { input: 'no status', script: without(',"status":{"token":"abc"}', ''), outcome: 'refused' },
  { input: 'an empty status', script: without('{"token":"abc"}', '{}'), outcome: 'refused' },
  { input: 'another version', script: without('.io/v1"', '.io/v1beta1"'), outcome: 'refused' },
  { input: 'another kind', script: without('ExecCredential', 'Credential'), outcome: 'refused' },
  {
    input: 'a certificate without its key',
    script: without('{"token":"abc"}', '{"clientCertificateData":"x"}'),
    outcome: 'refused',
  },
  { input: 'no JSON', script: answering('to sign in, open https://login.example'), outcome: 'refused' },
  { input: 'nothing, and exit code 3', script: '#!/bin/sh\necho no network >&2\nexit 3\n', outcome: 'refused' },
];
const PLUGIN = `apiVersion: v1
kind: Config
clusters:
- name: prod
  cluster:
    server: SERVER
    certificate-authority: ca.pem
    extensions:
    - {name: client.authentication.k8s.io/exec, extension: {audience: aud-1, region: eu}}
users:
- name: me
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./plugin.sh
      interactiveMode: Never
      provideClusterInfo: true
contexts: [{name: prod, context: {cluster: prod, user: me}}]
current-context: prod
`;

describe('kubectl and Flotilla do the same', needing(kubectl), () => {
  let folder = '';
  let server: Server;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-as-kubectl-'));
    const { caPem, certPem: cert, keyPem: key } = await servingCertificate();
    server = createServer({ cert, key }, (asked, answer) => {
      const isMine = asked.headers.authorization === 'Bearer abc';
      answer.statusCode = isMine ? 200 : 401;
      answer.setHeader('content-type', 'application/json').end('{"gitVersion":"v1.34.4"}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await writeFile(join(folder, 'ca.pem'), caPem);
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  /** Writes the files. Returns the environment for both readers. */
  async function given(files: Input['files']): Promise<Readonly<Record<string, string>>> {
    const { port } = server.address() as AddressInfo;
    const paths = Object.keys(files).map((name) => join(folder, name));
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text.replace('SERVER', `https://127.0.0.1:${port}`), { mode: 0o600 });
    return { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: paths.join(':') };
  }
  const byKubectl = (env: Readonly<Record<string, string>>, context?: string): Promise<Outcome> =>
    promisify(execFile)(
      'kubectl',
      ['get', '--raw', '/version', '--request-timeout=20s', ...(context === undefined ? [] : ['--context', context])],
      { env },
    ).then(
      () => 'answers',
      () => 'refused',
    );
  const byFlotilla = async (environment: Readonly<Record<string, string>>, context?: string): Promise<Outcome> => {
    try {
      const contexts = context === undefined ? [] : [context];
      const [client] = await loadClusters({ contexts, environment, fieldManager: 'test' });
      await client?.serverVersion().finally(() => client.close());
      return 'answers';
    } catch {
      return 'refused';
    }
  };

  it.each(KUBECONFIGS)('with $input: $outcome', async ({ files, context, outcome }) => {
    const env = await given(files);
    expect([await byKubectl(env, context), await byFlotilla(env, context)]).toEqual([outcome, outcome]);
  });

  it.each(PLUGINS)('with a login plugin that gives $input: $outcome', async ({ script, outcome }) => {
    const env = await given({ config: PLUGIN, 'plugin.sh': script });
    await chmod(join(folder, 'plugin.sh'), 0o700);
    const only = { ...env, KUBECONFIG: join(folder, 'config') };
    expect([await byKubectl(only), await byFlotilla(only)]).toEqual([outcome, outcome]);
  });

  it('in the input of a login plugin', async () => {
    const script = `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > "$INFO"\necho '${CREDENTIAL}'\n`;
    const env = await given({ config: PLUGIN, 'plugin.sh': script });
    await chmod(join(folder, 'plugin.sh'), 0o700);
    const inputBy = async (ask: typeof byKubectl) => {
      const INFO = join(folder, 'info.json');
      expect(await ask({ ...env, KUBECONFIG: join(folder, 'config'), INFO })).toBe('answers');
      return JSON.parse(await readFile(INFO, 'utf8'));
    };
    const input = await inputBy(byKubectl);
    expect(input).toMatchObject({
      spec: { interactive: false, cluster: { config: { audience: 'aud-1', region: 'eu' } } },
    });
    expect(await inputBy(byFlotilla)).toEqual(input);
  });
});
