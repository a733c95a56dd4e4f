import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { readSettings } from '../config/settings.js';
import { type ClusterAccess, parseKubeconfig } from '../kube/access/kubeconfig.js';
import { loginStore } from '../membership/stored-logins.js';
import { mountedLogins } from './mounted-logins.js';

const FILE = '/etc/flotilla/kubeconfig/config';
const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'flotilla', name: 'applier-kubeconfig' } as const;
const settings = readSettings({ FLOTILLA_KUBECONFIG: FILE, FLOTILLA_KUBECONFIG_SECRET: SECRET.name });
const access = { file: FILE, user: { token: 'east.old' } } as unknown as ClusterAccess;

let fleet: SimulatedFleet;
/** The address of an API server in a cluster has no path. */
let server: Server;
/** The files that kubelet puts into a Pod. */
let serviceAccountFolder = '';
beforeAll(async () => {
  fleet = await startSimulatedFleet({ clusters: ['hub'] });
  const hub = fleet.cluster('hub');
  hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SECRET.namespace } });
  const { name, namespace, ...kind } = SECRET;
  const data = { config: Buffer.from('token: east.old\n').toString('base64') };
  hub.create({ ...kind, metadata: { name, namespace }, data } as KubernetesObject);
  serviceAccountFolder = await mkdtemp(join(tmpdir(), 'flotilla-pod-'));
  const { cluster } = parseKubeconfig('fleet', fleet.kubeconfig()).access('hub');
  const ca = Buffer.from(String(cluster['certificate-authority-data']), 'base64');
  const { caPem, certPem: cert, keyPem: key } = await servingCertificate();
  server = createServer({ cert, key }, (asked, answer) => {
    const { method, headers, url } = asked;
    const passed = request(`${hub.url}${url}`, { method, headers, ca }, (found) => {
      answer.writeHead(found.statusCode ?? 500, found.headers);
      found.pipe(answer);
    });
    asked.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await writeFile(join(serviceAccountFolder, 'ca.crt'), caPem);
  await writeFile(join(serviceAccountFolder, 'token'), hub.token);
  await writeFile(join(serviceAccountFolder, 'namespace'), `${SECRET.namespace}\n`);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await fleet.stop();
  await rm(serviceAccountFolder, { recursive: true, maxRetries: 5 });
});

it('stores a renewed login with the token of the Pod, in the namespace of the Pod', async () => {
  const { port } = server.address() as AddressInfo;
  const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
  await loginStore(undefined, mountedLogins(settings, { environment, serviceAccountFolder }))(access, 'east.new');
  const { config = '' } = Object(fleet.cluster('hub').get(SECRET)?.['data']) as { config?: string };
  expect(Buffer.from(config, 'base64').toString()).toBe('token: east.new\n');
});

it('says what a hub elsewhere lacks', async () => {
  const store = loginStore(undefined, mountedLogins(settings, { environment: {}, serviceAccountFolder }));
  await expect(store(access, 'east.new')).rejects.toThrow(
    'FLOTILLA_KUBECONFIG_SECRET needs a hub that runs in Kubernetes, and a token of the ServiceAccount in its Pod',
  );
});

it('is off without the setting', () => {
  expect(mountedLogins(readSettings({ FLOTILLA_KUBECONFIG: FILE }))).toBeUndefined();
});
