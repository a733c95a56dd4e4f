import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { SystemClock } from '../clock/system-clock.js';
import type { KubeClient } from '../kube/kube-client.port.js';
import { loadClusters } from '../kube/load-clusters.js';
import { silentLog } from '../telemetry/log.port.js';
import { HttpAccess } from './http-access.js';
import { TokenReviewer } from './token-reviewer.js';

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };

describe('tokens of service accounts, reviewed by an API server', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let client: KubeClient;
  let access: HttpAccess;
  let token: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'token-reviewer-'));
    fleet = await startSimulatedFleet({ clusters: ['hub'] });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig());
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
    if (loaded === undefined) throw new Error('there is no cluster');
    client = loaded;
    const reviewer = new TokenReviewer(client, new SystemClock(), silentLog);
    access = new HttpAccess({ areas: new Set(['packages', 'metrics']), reviewer });
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'console', namespace: 'team' } });
    await client.create({
      ...RBAC,
      kind: 'ClusterRole',
      metadata: { name: 'reads-east' },
      rules: [{ nonResourceURLs: ['/clusters/east/*'], verbs: ['get'] }],
    });
    await client.create({
      ...RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'reads-east' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reads-east' },
      subjects: [{ kind: 'ServiceAccount', name: 'console', namespace: 'team' }],
    });
    token = await tokenOf('team', 'console');
  });
  afterAll(async () => {
    await client?.close();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tokenOf = (namespace: string, name: string) => {
    const cluster = fleet.cluster('hub');
    const url = `${cluster.url}/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    return new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/json' };
      const asking = request(url, { method: 'POST', headers, rejectUnauthorized: false, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { status } = JSON.parse(Buffer.concat(chunks).toString()) as { status: { token: string } };
          resolve(status.token);
        });
      });
      asking.on('error', reject).end(JSON.stringify({ spec: {} }));
    });
  };

  it.each([
    { path: '/clusters/east/apis/packages.operators.coreos.com/v1/packagemanifests', answer: { admitted: true } },
    {
      path: '/clusters/west/apis/packages.operators.coreos.com/v1/packagemanifests',
      answer: { status: 403, message: expect.stringMatching(/^"system:serviceaccount:team:console" may not read/) },
    },
    { path: '/metrics', answer: { status: 403 } },
  ])('open the paths that the account may get: $path', async ({ path, answer }) => {
    const authorization = `Bearer ${token}`;
    expect(await access.admit({ area: 'packages', path, authorization })).toMatchObject(answer);
  });

  it('that the API server does not know open nothing', async () => {
    const authorization = 'Bearer no-token-of-this-cluster';
    const answer = await access.admit({ area: 'packages', path: '/clusters/east/x', authorization });
    expect(answer).toMatchObject({ admitted: false, status: 401 });
  });
});
