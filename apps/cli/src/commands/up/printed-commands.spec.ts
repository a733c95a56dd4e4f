import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADVICE } from '#core/cluster/advice/advice';
import { commandIn } from '#core/cluster/advice/command-in';
import { ownerStatus } from '#core/cluster/joining/cluster-owner';
import { managementStatus } from '#core/cluster/joining/management-status';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { commandAccess, ownAccess } from '../../clusters/command-access.js';
import { NEXT } from '../../output/next-commands.js';
import { accessOf } from './access-options.js';
import { describeCluster } from './describe-cluster.js';

const NAMES = ['east', 'west', 'north'];
let folder = '';
let files: string[] = [];
const servers: Server[] = [];
let asked: number[] = [];
let clients: readonly KubeClient[] = [];

/** Three recording API servers, and three kubeconfigs whose contexts are all `default`, as k3s names them. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-printed-'));
  asked = NAMES.map(() => 0);
  for (const [at, name] of NAMES.entries()) {
    const server = createServer((_request, response) => {
      asked[at] = (asked[at] ?? 0) + 1;
      response.setHeader('content-type', 'application/json').end('{"gitVersion":"v1.34.4"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const file = join(folder, `${name} config`);
    const config = {
      clusters: [
        { name: 'default', cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
      ],
      users: [{ name: 'default', user: { token: name } }],
      contexts: [{ name: 'default', context: { cluster: 'default', user: 'default' } }],
      'current-context': 'default',
    };
    await writeFile(file, JSON.stringify(config));
    files = [...files, file];
  }
  clients = await loadClusters({ kubeconfigs: files, fieldManager: 'test' });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Every text with a command that is printed about a cluster of this hub. */
function textsAbout(client: KubeClient): readonly string[] {
  const { cluster } = client;
  const access = accessOf((name) => clients.find((one) => one.cluster === name)?.login, { HOME: '/nowhere' });
  const signs = [{ kind: 'deployment', namespace: 'olm', name: 'olm-operator' }] as const;
  const facts = { cluster, globalCatalogNamespace: 'olm', signs, consentedClusters: [], access: access(cluster) };
  const refused = [{ object: 'CustomResourceDefinition a', because: 'forbidden' }];
  const joined = { cluster, installed: [], upgraded: [], left: [], refused, awaited: [] };
  const management = managementStatus(facts);
  const reached = { cluster, reached: true, version: 'v1', globalCatalogNamespace: 'olm', management, joined } as const;
  const owner = { cluster, hub: { id: 'mine', older: [] }, now: new Date(), access: access(cluster) };
  const annotations = { 'flotilla.dev/hub': 'other' };
  const options = { kubeconfig: files };
  const own = ownAccess(client, options);
  return [
    ...describeCluster(reached, 10, access),
    JSON.stringify(managementStatus({ ...facts, signs: [], unseen: 'forbidden' })),
    JSON.stringify(ownerStatus({ ...owner, annotations })),
    commandIn(commandAccess(client, options), ADVICE.dropSubscription('team', 'lamp')),
    commandIn(commandAccess(client, options), ADVICE.approve('team', 'install-1')),
    commandIn(commandAccess(client, options), ADVICE.retryPlan('team', 'install-1')),
    NEXT.assess(own.options),
    `${NEXT.checkClusters()} ${own.options}`,
    NEXT.handoverFromOlm(own.named),
    NEXT.migrateSubscription('lamp', 'team', own.options),
  ];
}

const COMMAND = /(?:kubectl|flotilla) (?:clusters|apply|approve|retry|assess|migrate|--kubeconfig)[^"\n]*/g;
const OPTIONS = /--kubeconfig '([^']*)' --context (\w+)/;

it('each printed command reaches its own cluster of three with equal context names', async () => {
  expect(clients.map(({ cluster }) => cluster)).toEqual(['default', 'default-2', 'default-3']);
  for (const [at, client] of clients.entries()) {
    const commands = textsAbout(client).flatMap((text) => text.match(COMMAND) ?? []);
    expect(commands.length).toBeGreaterThanOrEqual(10);
    for (const command of commands) {
      const [, file = '', context = ''] = OPTIONS.exec(command) ?? [];
      expect(file, command).not.toBe('');
      expect(command).not.toMatch(/default-\d/);
      const before = [...asked];
      const [reached] = await loadClusters({ kubeconfigs: [file], contexts: [context], fieldManager: 'test' });
      await reached?.serverVersion();
      await reached?.close();
      expect(asked, command).toEqual(before.map((count, index) => (index === at ? count + 1 : count)));
    }
  }
});
