import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { PassReader } from '../../engine/passes/pass-reader.js';
import { readObjectSet } from '../revisions/read-object-set.js';
import {
  configMap,
  ExtensionEnvironment,
  NAMESPACE,
  objectSet,
  quietCsv,
  SYSTEM_NAMESPACE,
} from './extension-environment.fixture.js';
import { readExtension } from './read-extension.js';

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const reader = () => new PassReader(env.client);
const secret = (name: string, namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  immutable: true,
});

describe('what a pass reads of a ClusterExtension', () => {
  const read = () => readExtension(reader(), 'gear', SYSTEM_NAMESPACE);
  const manifests = async () =>
    [...((await read())?.secrets.keys() ?? [])].map((place) => /gear-\d+/.exec(place)?.[0]).sort();
  const installed = async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one', { text: 'a' }));
    await env.install('1.1.0', quietCsv(), configMap('one', { text: 'b' }));
    await env.pass();
  };

  it('is nothing where there is none', async () => {
    expect(await read()).toBeUndefined();
  });

  it('is nothing where the object is none that Flotilla understands', async () => {
    env.extension();
    const broken = { ...env.live(), spec: { namespace: 7 } };
    const client = { ...env.reads, get: async () => broken as never, list: env.client.list.bind(env.client) };
    expect(await readExtension(new PassReader(client), 'gear', SYSTEM_NAMESPACE)).toBeUndefined();
  });

  it('are its revisions, and no others', async () => {
    await installed();
    env.add(
      objectSet(
        'lamp-1',
        [['first', configMap('two')]],
        {},
        { labels: { 'olm.operatorframework.io/owner-name': 'lamp' } },
      ),
    );
    expect((await read())?.revisions.map(({ metadata }) => metadata.name)).toEqual(['gear-1', 'gear-2']);
  });

  it('are the manifests of active revisions, not those of archived ones', async () => {
    await installed();
    expect(await manifests()).toEqual(['gear-2']);
  });

  it('are those of the revision that is desired again, too', async () => {
    await installed();
    await env.change({}, { annotations: { [ROLLBACK_KEY]: '1' } });
    expect(await manifests()).toEqual(['gear-1', 'gear-2']);
  });

  it('are no Secrets at all before the first revision', async () => {
    env.extension();
    env.cluster.requests.clear();
    expect((await read())?.secrets).toEqual(new Map());
    expect(env.cluster.requests.filter(({ resource }) => resource === 'secrets')).toEqual([]);
  });
});

describe('what a pass reads of a ClusterObjectSet', () => {
  const read = async (name: string) => {
    const found = await readObjectSet(reader(), name, env.deps);
    return (
      found && { sets: found.revisions.map(({ metadata }) => metadata.name), secrets: [...found.secrets.keys()].sort() }
    );
  };
  const labels = { 'olm.operatorframework.io/owner-name': 'mill' };
  const set = (name: string, revision: number, ...refs: object[]) =>
    objectSet(name, [], { revision, phases: [{ name: 'first', objects: refs.map((ref) => ({ ref })) }] }, { labels });

  it('is nothing where there is none', async () => {
    expect(await read('mill-1')).toBeUndefined();
  });

  it('are the set first, others of the same owner, and Secrets of any namespace', async () => {
    env.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } });
    env.add(secret('a', NAMESPACE), secret('b', SYSTEM_NAMESPACE));
    env.add(
      set('mill-1', 1, { name: 'a', namespace: NAMESPACE, key: 'x' }, { name: 'a', namespace: NAMESPACE, key: 'y' }),
    );
    env.add(
      set(
        'mill-2',
        2,
        { name: 'b', namespace: SYSTEM_NAMESPACE, key: 'x' },
        { name: 'gone', namespace: NAMESPACE, key: 'x' },
      ),
    );
    env.add(objectSet('other', [['first', configMap('one')]]));
    expect(await read('mill-2')).toEqual({ sets: ['mill-2', 'mill-1'], secrets: ['flotilla-system/b', 'mill/a'] });
    expect(await read('other')).toEqual({ sets: ['other'], secrets: [] });
  });

  it('without an owner reads no other set', async () => {
    env.add(objectSet('other', [['first', configMap('one')]]));
    env.cluster.requests.clear();
    await read('other');
    const lists = env.cluster.requests.filter(
      ({ verb, resource }) => verb === 'list' && resource === 'clusterobjectsets',
    );
    expect(lists).toEqual([]);
    expect(env.cluster.list(CLUSTER_OBJECT_SET_API)).toHaveLength(1);
  });
});
