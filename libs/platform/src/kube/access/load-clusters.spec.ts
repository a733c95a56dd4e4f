import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RenewableClient } from '../../membership/renewable-client.js';
import type { ClusterAccess } from './kubeconfig.js';
import { inClusterAccess, type LoadClustersOptions, loadClusters } from './load-clusters.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-load-clusters-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

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

describe('what cannot be loaded is said in one line', () => {
  const broken = { ...PLAIN, contexts: [context('lost', 'gone'), context('nobody', 'c', 'gone'), context('good')] };
  it.each([
    {
      content: 'a: [',
      options: {},
      says: /kubeconfig is no kubeconfig: unexpected end|no kubeconfig/,
      because: 'broken YAML',
    },
    { content: 'just text', options: {}, says: /is no kubeconfig: the document/, because: 'no mapping' },
    { content: { contexts: 'x' }, options: {}, says: /is no kubeconfig: contexts/, because: 'contexts is no list' },
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
    { content: broken, options: {}, says: /"lost".*\n.*"nobody"/, because: 'all that is broken is named at once' },
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
      says: /context "x" .* its server is no http\(s\) URL$/,
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

describe('a proxy that is named beside a server', () => {
  const policy = { addresses: ['public', 'private'], registryHosts: [], grpcHosts: [] } as const;
  const ask = async (more: Partial<ClusterAccess>) => {
    const cluster = { server: 'https://store-01.example', 'proxy-url': 'http://127.0.0.1:1' };
    const access = { context: 'c', file: 'f', cluster, user: {}, ...more };
    const [client] = await loadClusters({ access: [access], fieldManager: 'test', policy });
    try {
      return await client?.serverVersion();
    } catch (error) {
      return String(error);
    } finally {
      await client?.close();
    }
  };

  it('in a Secret is reached where the hub allows it, and in a kubeconfig of the hub anywhere', async () => {
    expect(await ask({ isInKubeconfig: false })).toContain('proxy-url: address of 127.0.0.1 is not allowed by the hub');
    expect(await ask({})).toContain('ECONNREFUSED');
  });
});

describe('a server that a Secret names', () => {
  const ask = async (server: string, more: Partial<ClusterAccess> = {}) => {
    const access = { context: 'c', file: 'f', cluster: { server }, user: {}, isInKubeconfig: false, ...more };
    const [client] = await loadClusters({ access: [access], fieldManager: 'test' });
    try {
      return await client?.serverVersion();
    } catch (error) {
      return String(error);
    } finally {
      await client?.close();
    }
  };

  it.each(['https://169.254.169.254', 'https://[fe80::1]:6443', '0.0.0.0:6443', 'https://[::ffff:a9fe:a9fe]'])(
    'gets no connection at %s, and says so without the name of what is there',
    async (server) => {
      expect(await ask(server)).toContain('its server is at a link-local or metadata address');
    },
  );

  it.each(['https://169.254.169.254', 'https://[fe80::1]:6443'])('gets none through a proxy at %s', async (server) => {
    const cluster = { server, 'proxy-url': 'http://127.0.0.1:1' };
    expect(await ask(server, { cluster })).toContain('its server is at a link-local or metadata address');
  });

  it('is reached on this machine and in private networks', async () => {
    for (const server of ['https://127.0.0.1:1', 'https://localhost:1', 'https://[::1]:1'])
      expect(await ask(server)).toMatch(/ECONNREFUSED|EADDRNOTAVAIL/);
  });
});
