import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { loginStore, OtherLogin } from './stored-logins.js';

it('keeps every token of a file whose logins are renewed at the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-logins-'));
  const file = join(folder, 'kubeconfig');
  const names = Array.from({ length: 20 }, (_, index) => `east-${index}.`);
  await writeFile(file, names.map((name) => `token: ${name}old`).join('\n'));
  const store = loginStore(undefined);
  const access = (name: string) => ({ file, user: { token: `${name}old` } }) as unknown as ClusterAccess;
  await Promise.all(names.map((name) => store(access(name), `${name}new`)));
  expect(await readFile(file, 'utf8')).toBe(names.map((name) => `token: ${name}new`).join('\n'));
  await rm(folder, { recursive: true, maxRetries: 5 });
});

describe('a file that is mounted from a Secret', () => {
  const FILE = '/etc/flotilla/kubeconfig/config';
  const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'flotilla', name: 'applier-kubeconfig' } as const;
  let hub: DirectCluster;
  beforeEach(async () => {
    hub = directCluster('hub');
    await hub.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'flotilla' } });
    const { namespace, name, ...kind } = SECRET;
    const data = { 'mirrors.yaml': 'bWlycm9ycw==', config: b64('# ours\nfirst: east.old\nsecond: west.old\n') };
    await hub.client.create({ ...kind, metadata: { name, namespace }, data } as KubernetesObject);
  });
  afterEach(() => hub.stop());

  const b64 = (text: string) => Buffer.from(text).toString('base64');
  const access = (token: string, file = FILE) => ({ file, user: { token } }) as unknown as ClusterAccess;
  const storeBy = (api: Pick<KubeClient, 'get' | 'update'>) =>
    loginStore(undefined, { secret: SECRET.name, files: [FILE], withApi: (use) => use(api, SECRET.namespace) });
  const stored = () => {
    const data = hub.cluster.get(SECRET)?.['data'] as Readonly<Record<string, string>>;
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  };

  it('has its renewed logins in that Secret, and everything else stays', async () => {
    const store = storeBy(hub.client);
    await Promise.all([store(access('east.old'), 'east.new'), store(access('west.old'), 'west.new')]);
    expect(stored()).toEqual({ 'mirrors.yaml': 'mirrors', config: '# ours\nfirst: east.new\nsecond: west.new\n' });
  });

  it('keeps the login that another service stores in the same moment', async () => {
    let others = 3;
    const update: KubeClient['update'] = async (object) => {
      if (others > 0) {
        others -= 1;
        await hub.client.patch(SECRET, { metadata: { annotations: { other: String(others) } } });
      }
      return hub.client.update(object);
    };
    await storeBy({ get: (ref) => hub.client.get(ref), update })(access('east.old'), 'east.new');
    expect(stored()['config']).toContain('east.new');
    expect(hub.cluster.get(SECRET)?.metadata.annotations).toEqual({ other: '0' });
  });

  it('is not written over a login that people put there, and no token is in the message', async () => {
    const failed = storeBy(hub.client)(access('north.old'), 'north.new');
    await expect(failed).rejects.toThrow(
      /^Secret flotilla\/applier-kubeconfig does not have the token that is in use: .*; .*\/etc\/flotilla/,
    );
    await expect(failed).rejects.toBeInstanceOf(OtherLogin);
    await expect(failed).rejects.not.toThrow(/north/);
    await hub.client.delete(SECRET);
    await expect(storeBy(hub.client)(access('east.old'), 'east.new')).rejects.toThrow(
      /^there is no Secret flotilla\/applier-kubeconfig; .*\/etc\/flotilla/,
    );
  });

  it('is written itself if it is in a volume that may be written, and the Secret has no such login', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-volume-'));
    const file = join(folder, 'config');
    await writeFile(file, 'token: north.old\n');
    const withApi = (use: (api: KubeClient, namespace: string) => Promise<void>) => use(hub.client, SECRET.namespace);
    const store = loginStore(undefined, { secret: SECRET.name, files: [file], withApi });
    await store(access('north.old', file), 'north.new');
    expect(await readFile(file, 'utf8')).toBe('token: north.new\n');
    await hub.client.delete(SECRET);
    await store(access('north.new', file), 'north.newer');
    expect(await readFile(file, 'utf8')).toBe('token: north.newer\n');
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  it('is not written any more by a write that waits while the hub stops', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    const get: KubeClient['get'] = async (ref) => {
      begun += 1;
      await held;
      return hub.client.get(ref);
    };
    const store = storeBy({ get, update: (object) => hub.client.update(object) });
    const stop = new AbortController();
    const first = store(access('east.old'), 'east.new', stop.signal);
    const second = expect(store(access('west.old'), 'west.new', stop.signal)).rejects.toThrow('stops');
    await expect.poll(() => begun).toBe(1);
    stop.abort(new Error('the hub stops'));
    release();
    await Promise.all([first, second]);
    expect(stored()['config']).toBe('# ours\nfirst: east.new\nsecond: west.old\n');
  });
});
