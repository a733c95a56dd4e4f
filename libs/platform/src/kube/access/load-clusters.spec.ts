import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { RenewableClient } from '../../membership/renewable-client.js';
import { inClusterAccess, type LoadClustersOptions, loadClusters, readAccess } from './load-clusters.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-load-clusters-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const PLAIN = {
  clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443' } }],
  users: [{ name: 'u', user: {} }],
};
const context = (name: string, cluster = 'c', user: string | null = 'u') => ({ name, context: { cluster, user } });

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const load = (options: Omit<LoadClustersOptions, 'fieldManager'>) =>
  loadClusters({ fieldManager: 'test', environment: { HOME: folder }, ...options });
const names = async (options: Omit<LoadClustersOptions, 'fieldManager'>) =>
  (await load(options)).map(({ cluster }) => cluster);

describe('which clusters are loaded', () => {
  it('all contexts of a file that is named, under their names', async () => {
    const path = await file('two', { ...PLAIN, contexts: [context('blue'), context('green', 'c', null)] });
    await expect(names({ kubeconfigs: [path] })).resolves.toEqual(['blue', 'green']);
  });

  it('only the contexts that are named, in that order', async () => {
    const path = await file('three', { ...PLAIN, contexts: [context('a'), context('b'), context('c')] });
    await expect(names({ kubeconfigs: [path], contexts: ['c', 'a'] })).resolves.toEqual(['c', 'a']);
  });

  it('contexts of one name in several files are told apart', async () => {
    const one = await file('first-of-two/config', { ...PLAIN, contexts: [context('admin')] });
    const two = await file('second-of-two/config', { ...PLAIN, contexts: [context('admin'), context('other')] });
    await expect(names({ kubeconfigs: [one, two] })).resolves.toEqual(['admin', 'admin-2', 'other']);
  });

  it('where people have the login of each, too', async () => {
    const one = await file('first-login', { ...PLAIN, contexts: [context('admin')] });
    const two = await file('second-login', { ...PLAIN, contexts: [context('admin')] });
    const clients = await load({ kubeconfigs: [one, two] });
    expect(clients.map(({ login }) => login)).toEqual([one, two].map((path) => ({ file: path, context: 'admin' })));
    expect(clients.map((client) => new RenewableClient(client).login?.file)).toEqual([one, two]);
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const [inPod] = await load({ access: [inClusterAccess({ environment, serviceAccountFolder: folder })] });
    expect(inPod?.login).toBeUndefined();
  });

  it('without a file: the current context of KUBECONFIG, passing over files that are not there', async () => {
    const first = await file('first', { ...PLAIN, contexts: [context('a')] });
    const second = await file('second', { ...PLAIN, contexts: [context('b'), context('c')], 'current-context': 'c' });
    const environment = { KUBECONFIG: `${join(folder, 'gone')}:${first}:${second}` };
    await expect(names({ environment })).resolves.toEqual(['c']);
    await expect(names({ environment, contexts: ['a', 'b'] })).resolves.toEqual(['a', 'b']);
  });

  it('without KUBECONFIG: the current context of ~/.kube/config', async () => {
    const home = join(folder, 'home');
    await file('home/.kube/config', { ...PLAIN, contexts: [context('mine')], 'current-context': 'mine' });
    await expect(names({ environment: { HOME: home } })).resolves.toEqual(['mine']);
  });

  it('without any file, in a pod: the service account', async () => {
    const environment = { HOME: '/nowhere', KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    await expect(names({ environment })).resolves.toEqual(['in-cluster']);
  });
});

describe('the API server of the cluster in which the hub runs', () => {
  it('is reached as the service account of the pod', () => {
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
    expect(inClusterAccess({ environment, serviceAccountFolder: '/account' })).toMatchObject({
      cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority': '/account/ca.crt' },
      user: { tokenFile: '/account/token' },
    });
  });

  it('is missed outside Kubernetes, and the setting that needs it is named', () => {
    expect(() => inClusterAccess({ environment: {} })).toThrow(/FLOTILLA_HTTP_TOKEN_REVIEW needs a hub that runs in/);
  });
});

describe('an entry that is empty or broken', () => {
  const good = { name: 'good', context: { cluster: 'c', user: 'u' } };
  const scratch = (value: unknown) => ({ contexts: [{ name: 'scratch', context: value }, good] });
  const behind = (more: object) => ({
    contexts: [{ name: 'scratch', context: { cluster: 'x', user: 'u' } }, good],
    ...more,
  });
  const clusterX = (cluster: unknown) => behind({ clusters: [...PLAIN.clusters, { name: 'x', cluster }] });
  const userX = (user: unknown) => ({
    contexts: [{ name: 'scratch', context: { cluster: 'c', user: 'x' } }, good],
    users: [...PLAIN.users, { name: 'x', user }],
  });
  const extensions = (value: unknown) => scratch({ cluster: 'c', user: 'u', extensions: value });

  it.each([
    {
      because: 'a context that kubectl made',
      content: scratch({ cluster: '', user: '' }),
      says: /"scratch".*it names no cluster/,
    },
    { because: 'a context that is null', content: scratch(null), says: /"scratch".*it names no cluster/ },
    { because: 'a context that is text', content: scratch('x'), says: /"scratch".*the context/ },
    {
      because: 'a context without a name',
      content: { contexts: [{ context: {} }, good] },
      says: /context 1 of .* has no name/,
    },
    {
      because: 'a context with an empty name',
      content: { contexts: [{ name: '' }, good] },
      says: /context 1 of .* has no name/,
    },
    { because: 'a list item that is null', content: { contexts: [null, good] }, says: /context 1 of .* has no name/ },
    { because: 'a list item that is text', content: { contexts: ['x', good] }, says: /context 1 of .* has no name/ },
    {
      because: 'a name that is a number',
      content: { contexts: [{ name: 12 }, good] },
      says: /context 1 .*the name 12, which is not text/,
    },
    { because: 'a cluster that is null', content: clusterX(null), says: /"scratch".*cluster "x": server/ },
    { because: 'a server that is a number', content: clusterX({ server: 5 }), says: /"scratch".*cluster "x": server/ },
    {
      because: 'a cluster without a name',
      content: { clusters: [...PLAIN.clusters, { cluster: {} }] },
      says: /cluster 2 of .* has no name/,
    },
    { because: 'a token that is a number', content: userX({ token: 12 }), says: /"scratch".*user "x": token/ },
    {
      because: 'a server that is no URL',
      content: clusterX({ server: 'ftp://x' }),
      says: /"scratch".*not an http\(s\) URL/,
    },
    {
      because: 'a proxy that is no URL',
      content: clusterX({ server: 'https://x', 'proxy-url': 'http://u:hush@[' }),
      says: /"scratch".*its proxy-url is not a URL$/,
    },
    {
      because: 'a proxy of another kind',
      content: clusterX({ server: 'https://x', 'proxy-url': 'ftp://u:hush@x' }),
      says: /"scratch".*its proxy-url has a scheme .*: use one of http, https, socks5, socks5h$/,
    },
    {
      because: 'an authority that is not to be checked',
      content: clusterX({
        server: 'https://x',
        'insecure-skip-tls-verify': true,
        'certificate-authority-data': 'YQ==',
      }),
      says: /"scratch".*an authority and insecure-skip-tls-verify: remove one$/,
    },
    {
      because: 'an authority as file and as data',
      content: clusterX({ server: 'https://x', 'certificate-authority': '/ca', 'certificate-authority-data': 'YQ==' }),
      says: /"scratch".*certificate-authority and certificate-authority-data: remove one$/,
    },
    {
      because: 'a certificate without its key',
      content: userX({ 'client-certificate-data': 'YQ==' }),
      says: /"scratch".*a client certificate without its key$/,
    },
    {
      because: 'a key as file and as data',
      content: userX({ 'client-certificate': '/c', 'client-key': '/k', 'client-key-data': 'YQ==' }),
      says: /"scratch".*client-key and client-key-data: remove one$/,
    },
    {
      because: 'two logins of a user',
      content: userX({ token: 'hush', username: 'u', password: 'hush' }),
      says: /"scratch".*a token and a password: remove one$/,
    },
    {
      because: 'groups of nobody',
      content: userX({ token: 'hush', 'as-groups': ['system:masters'] }),
      says: /"scratch".*as-groups or as-user-extra, and no as$/,
    },
    {
      because: 'a plugin of another version',
      content: userX({ exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      says: /"scratch".*exec\.apiVersion .*v1alpha1" is not known/,
    },
    {
      because: 'a user list item that is null',
      content: { users: [...PLAIN.users, null] },
      says: /user 2 of .* has no name/,
    },
    {
      because: 'settings of ours that are none',
      content: extensions([{ name: 'flotilla', extension: { paused: 'x' } }]),
      says: /"scratch".*paused/,
    },
    {
      because: 'a context that is there twice',
      content: { contexts: [...scratch({ cluster: 'c' }).contexts, { name: 'scratch' }] },
      says: /"scratch".*occurs twice/,
    },
  ])('spoils itself alone and is named: $because', async ({ content, says }) => {
    const path = await file('spoiled', { ...PLAIN, contexts: [good], ...content });
    const problems: string[] = [];
    await expect(names({ kubeconfigs: [path], onProblem: (one) => problems.push(one) })).resolves.toEqual(['good']);
    expect(problems).toEqual([expect.stringMatching(says)]);
    await expect(names({ kubeconfigs: [path], contexts: ['good'] })).resolves.toEqual(['good']);
  });

  it.each([
    {
      because: 'an extension without a name',
      value: [{ extension: {} }],
      says: /^extension 1 of context "scratch" of .*: /,
    },
    { because: 'an extension that is null', value: [{ name: 'x' }, null], says: /^extension 2 of .* has no name: / },
    {
      because: 'an extension named by a number',
      value: [{ name: 7 }],
      says: /^extension 1 .*the name 7, which is not text/,
    },
    {
      because: 'extensions that are text',
      value: 'x',
      says: /^the extensions of context "scratch" of .* are not a list: /,
    },
  ])('spoils nothing and is named: $because', async ({ value, says }) => {
    const path = await file('extended', { ...PLAIN, ...extensions(value) });
    const problems: string[] = [];
    const loaded = names({ kubeconfigs: [path], onProblem: (one) => problems.push(one) });
    await expect(loaded).resolves.toEqual(['scratch', 'good']);
    expect(problems).toEqual([expect.stringMatching(says)]);
  });

  it('of a cluster with a broken extension is named, and the cluster is used', async () => {
    const path = await file('extended-cluster', { ...PLAIN, ...clusterX({ server: 'https://x', extensions: [{}] }) });
    const problems: string[] = [];
    const loaded = names({ kubeconfigs: [path], onProblem: (one) => problems.push(one) });
    await expect(loaded).resolves.toEqual(['scratch', 'good']);
    expect(problems[0]).toMatch(/^extension 1 of cluster "x" of .* has no name: it is skipped$/);
  });

  it.each([
    { because: 'extensions that are null', content: extensions(null) },
    { because: 'an extension of others, whatever it has', content: extensions([{ name: 'other', extension: 7 }]) },
    { because: 'a user that is null', content: userX(null) },
    {
      because: 'keys without a certificate beside a token',
      content: userX({ token: 'hush', 'client-key': '/k', 'client-key-data': 'YQ==' }),
    },
    { because: 'a plugin that is null', content: userX({ exec: null }) },
    { because: 'no current context', content: { 'current-context': null, ...scratch({ cluster: 'c' }) } },
  ])('spoils nothing: $because', async ({ content }) => {
    const path = await file('unspoiled', { ...PLAIN, ...content });
    await expect(names({ kubeconfigs: [path] })).resolves.toEqual(['scratch', 'good']);
  });

  it.each([
    { because: 'a second document', text: (good: string) => `${good}\n---\ncontexts: []\n` },
    { because: 'a second document that cannot be read', text: (good: string) => `# mine\n---\n${good}\n---\n\t: [\n` },
    { because: 'text after the end of the document', text: (good: string) => `%YAML 1.2\n---\n${good}\n...\n}{\n` },
    { because: 'an empty document at the end', text: (good: string) => `---\n${good}\n---\n` },
    { because: 'a mark of the byte order', text: (good: string) => `\ufeff${good}` },
    { because: 'a key that occurs twice', text: (good: string) => `users: []\n${good}` },
  ])('spoils nothing, as in kubectl: $because', async ({ text }) => {
    const content = stringify({ ...PLAIN, contexts: [good] });
    const path = await file('as-kubectl', {});
    await writeFile(path, text(content));
    await expect(names({ kubeconfigs: [path] })).resolves.toEqual(['good']);
  });

  it('does not matter beside a context that was named', async () => {
    const path = await file('stale', { ...PLAIN, contexts: [context('old', 'gone'), context('good')] });
    await expect(load({ kubeconfigs: [path], contexts: ['old'] })).rejects.toThrow(/"old".*"gone" is not defined/);
  });
});

describe('several files of KUBECONFIG', () => {
  const environmentOf = (...paths: string[]) => ({ KUBECONFIG: paths.join(':'), HOME: folder });

  it('are one: a context, its cluster and its user may be in three, and the current context in a fourth', async () => {
    const paths = [
      await file('split/1', { contexts: [context('prod', 'prod', 'me')] }),
      join(folder, 'split/absent'),
      await file('split/a/2', {
        clusters: [{ name: 'prod', cluster: { server: 'https://p', 'certificate-authority': 'ca' } }],
      }),
      await file('split/b/3', { users: [{ name: 'me', user: { tokenFile: 'token', exec: { command: './login' } } }] }),
      await file('split/4', { 'current-context': 'prod' }),
    ];
    const environment = environmentOf(...paths);
    await expect(names({ environment })).resolves.toEqual(['prod']);
    const [access] = await readAccess({ environment });
    expect(access).toMatchObject({
      cluster: { 'certificate-authority': join(folder, 'split/a/ca') },
      user: { tokenFile: join(folder, 'split/b/token'), exec: { command: join(folder, 'split/b/login') } },
    });
  });

  it('are one: the first that has an entry counts, each of its own', async () => {
    const one = { contexts: [context('c1', 'c', 'u')], users: [{ name: 'u', user: { token: 'first' } }] };
    const two = { ...PLAIN, contexts: [context('c1', 'other'), context('c2')], 'current-context': 'c2' };
    const environment = environmentOf(await file('order/1', one), await file('order/2', two));
    const [current] = await readAccess({ environment });
    expect(current).toMatchObject({
      context: 'c2',
      user: { token: 'first' },
      cluster: { server: 'https://10.0.0.1:6443' },
    });
    const [named] = await readAccess({ environment, contexts: ['c1'] });
    expect(named).toMatchObject({ context: 'c1', user: { token: 'first' } });
  });
});

describe('what cannot be loaded is said in one line', () => {
  const broken = { ...PLAIN, contexts: [context('lost', 'gone'), context('nobody', 'c', 'gone'), context('good')] };
  it.each([
    {
      content: 'a: [',
      options: {},
      says: /kubeconfig is not a kubeconfig: unexpected end|no kubeconfig/,
      because: 'broken YAML',
    },
    { content: 'just text', options: {}, says: /is not a kubeconfig: the document/, because: 'no mapping' },
    { content: { contexts: 'x' }, options: {}, says: /is not a kubeconfig: contexts/, because: 'contexts is no list' },
    {
      content: broken,
      options: { contexts: ['lost'] },
      says: /context "lost" .* its cluster "gone" is not defined$/,
      because: 'no such cluster',
    },
    {
      content: broken,
      options: { contexts: ['nobody'] },
      says: /context "nobody" .* its user "gone" is not defined$/,
      because: 'no such user',
    },
    {
      content: { ...broken, contexts: broken.contexts.slice(0, 2) },
      options: {},
      says: /"lost".*\n.*"nobody"/,
      because: 'all that is broken is named at once, if nothing is left',
    },
    {
      content: broken,
      options: { contexts: ['typo'] },
      says: /no context "typo": .* has lost, nobody, good$/,
      because: 'a context that is not there',
    },
    {
      content: { ...PLAIN, clusters: [{ name: 'c', cluster: {} }], contexts: [context('x')] },
      options: {},
      says: /context "x" .* cluster "c": server/,
      because: 'no server',
    },
    {
      content: { ...PLAIN, clusters: [{ name: 'c', cluster: { server: 'ftp://x' } }], contexts: [context('x')] },
      options: {},
      says: /context "x" .* its server is not an http\(s\) URL$/,
      because: 'a server of another kind',
    },
    {
      content: { ...PLAIN, users: [{ name: 'u', user: { exec: {} } }], contexts: [context('x')] },
      options: {},
      says: /context "x" .* user "u": exec.command/,
      because: 'a plugin without a command',
    },
  ])('$because', async ({ content, options, says }) => {
    const path = await file('kubeconfig', content);
    await expect(load({ kubeconfigs: [path], ...options })).rejects.toMatchObject({
      code: 'ClusterConfigError',
      message: expect.stringMatching(says),
    });
  });

  it('a file that is not there, with what names it', async () => {
    const path = join(folder, 'gone');
    await expect(load({ kubeconfigs: [path], namedBy: 'FLOTILLA_KUBECONFIG' })).rejects.toMatchObject({
      message: `kubeconfig: open ${path}: no such file or directory: check FLOTILLA_KUBECONFIG`,
    });
    const message = expect.stringMatching(/: check --kubeconfig or FLOTILLA_KUBECONFIG$/);
    await expect(load({ kubeconfigs: [path] })).rejects.toMatchObject({ message });
    await expect(load({ kubeconfigs: [folder] })).rejects.toMatchObject({
      message: expect.stringMatching(/is a directory/),
    });
  });

  it('no kubeconfig anywhere', async () => {
    const message = expect.stringContaining('no kubeconfig was found');
    await expect(load({ environment: { HOME: '/nowhere' } })).rejects.toMatchObject({ message });
  });

  it('no current context', async () => {
    const path = await file('currentless', { ...PLAIN, contexts: [context('a')] });
    const message = expect.stringContaining('name one with --context');
    await expect(load({ environment: { KUBECONFIG: path } })).rejects.toMatchObject({ message });
  });

  it('never with a secret of the file in it', async () => {
    const path = await file('secret', 'users:\n- user: {token: hush-hush-hush\n  - broken: [');
    await expect(load({ kubeconfigs: [path] })).rejects.toMatchObject({ message: expect.not.stringContaining('hush') });
  });
});
