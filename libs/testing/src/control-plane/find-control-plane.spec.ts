import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import { startControlPlane } from './find-control-plane.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-find-control-plane-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const bare = () => ({ HOME: folder, PATH: folder, DOCKER_HOST: undefined });
const config = (...contexts: string[]) => ({
  'current-context': contexts[1],
  contexts: contexts.map((name) => ({ name, context: { cluster: 'c', user: 'u' } })),
  clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1', 'certificate-authority': 'ca.crt' } }],
  users: [{ name: 'u', user: { token: 't' } }],
});

describe('a control plane that is nowhere', () => {
  it('is an error that names every way and why it is closed, each of which was said before', async () => {
    const lines: string[] = [];
    const search = startControlPlane({ environment: bare(), log: (line) => lines.push(line) });
    await expect(search).rejects.toMatchObject({
      code: 'ControlPlaneNotFound',
      closed: [
        'FLOTILLA_TEST_KUBECONFIG is not set',
        `etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok: in none of KUBEBUILDER_ASSETS (not set), PATH and ${folder}/.cache/flotilla/control-plane/kubernetes-1.34.4`,
        expect.stringContaining('Docker'),
        'Go is not on PATH, so the binaries cannot be built here',
      ],
    });
    expect(lines).toHaveLength(4);
  });

  it('says which of the binaries are missing where some are there', async () => {
    const assets = await mkdtemp(join(folder, 'assets-'));
    for (const name of ['etcd', 'kube-apiserver']) await writeFile(join(assets, name), '', { mode: 0o755 });
    const search = startControlPlane({ environment: { ...bare(), KUBEBUILDER_ASSETS: assets }, log: () => undefined });
    await expect(search).rejects.toThrow(
      /kube-controller-manager, kube-scheduler, kwok: in none of KUBEBUILDER_ASSETS \(\/.*\)/,
    );
  });
});

describe('clusters that FLOTILLA_TEST_KUBECONFIG names', () => {
  const named = async (name: string, ...contexts: string[]) => {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(config(...contexts)));
    return file;
  };

  it('are taken, the current one first, each with a kubeconfig of its own', async () => {
    const environment = { ...bare(), FLOTILLA_TEST_KUBECONFIG: await named('existing', 'one', 'two', 'three') };
    const {
      clusters,
      describe: text,
      stop,
    } = await startControlPlane({ environment, clusters: 2, log: () => undefined });
    expect(clusters.map(({ name }) => name)).toEqual(['two', 'one']);
    const parsed = clusters.map(({ kubeconfigPath, kubeconfig }) => parseKubeconfig(kubeconfigPath, kubeconfig));
    expect(parsed.map(({ contexts, currentContext }) => ({ contexts, currentContext }))).toEqual([
      { contexts: ['two'], currentContext: 'two' },
      { contexts: ['one'], currentContext: 'one' },
    ]);
    expect(parsed[0]?.access('two').cluster).toMatchObject({ 'certificate-authority': join(folder, 'ca.crt') });
    expect(text).toBe('FLOTILLA_TEST_KUBECONFIG (two, one)');
    await stop();
  });

  it('are not quietly replaced by others when they are too few or cannot be read', async () => {
    const few = { ...bare(), FLOTILLA_TEST_KUBECONFIG: await named('few', 'one', 'two') };
    const search = startControlPlane({ environment: few, clusters: 3, log: () => undefined });
    await expect(search).rejects.toThrow('has 2 context(s), but 3 clusters are needed');
    const gone = { ...bare(), FLOTILLA_TEST_KUBECONFIG: join(folder, 'gone') };
    await expect(startControlPlane({ environment: gone, log: () => undefined })).rejects.toThrow('ENOENT');
  });
});
