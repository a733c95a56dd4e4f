import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../clock/system-clock.js';
import { readSettings } from '../config/settings.js';
import { silentLog } from '../telemetry/log.port.js';
import { joinedClusters, joinedKubeconfigs, writeJoinedClusters } from './joined-clusters.js';
import { globalCatalogNamespaceOf, managedClusters } from './managed-clusters.js';

let folder = '';
let file = '';
const EAST = {
  context: 'east',
  file: 'elsewhere',
  cluster: { server: 'https://east.example.com:6443' },
  user: { token: 'hush' },
  globalCatalogNamespace: 'market',
};
const WEST = {
  ...{ context: 'west', file: 'elsewhere', cluster: { server: 'https://west.example.com' }, user: {} },
  ...{ identity: 'uid-of-west', accepted: 'uid-of-west' },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-joined-'));
  file = join(folder, 'hub', 'clusters.yaml');
  await writeJoinedClusters(file, [EAST, WEST]);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('clusters that have joined', () => {
  it('are read as they were written, and by no other user', async () => {
    expect(await joinedClusters(file)).toMatchObject([
      { ...EAST, file },
      { ...WEST, file },
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    { contexts: [], files: 1, because: 'all of them' },
    { contexts: ['west'], files: 1, because: 'some of them' },
    { contexts: ['kind-a'], files: 0, because: 'a context of kubectl is looked for in kubectl’s own file' },
  ])('$because', async ({ contexts, files }) => {
    expect(await joinedKubeconfigs({ clustersFile: file }, contexts)).toHaveLength(files);
  });

  it('there are none where nothing has joined', async () => {
    expect(await joinedKubeconfigs({ clustersFile: join(folder, 'none') })).toEqual([]);
  });

  it('a file that is none is named', async () => {
    await writeFile(join(folder, 'broken'), 'clusters: [');
    await expect(joinedKubeconfigs({ clustersFile: join(folder, 'broken') })).rejects.toThrow(
      /broken is not a kubeconfig/,
    );
  });

  it('services manage them, with the namespace of global catalogs that is set for each', async () => {
    const settings = readSettings({
      HOME: folder,
      FLOTILLA_CLUSTERS_FILE: file,
      FLOTILLA_GLOBAL_CATALOG_NAMESPACE: 'olm',
    });
    const options = { fieldManagers: ['test'], clock: new SystemClock(), log: silentLog };
    const registry = await managedClusters(settings, options);
    const clients = registry.allClients('test');
    const namespaces = await Promise.all(clients.map((client) => globalCatalogNamespaceOf(client, settings)));
    await registry.close();
    expect(clients.map(({ cluster }) => cluster)).toEqual(['east', 'west']);
    expect(namespaces).toEqual(['market', 'olm']);
  });
});
