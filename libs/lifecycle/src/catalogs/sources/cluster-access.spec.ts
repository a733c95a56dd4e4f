import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { diagnoseCatalogSource } from '#core/cluster/diagnosis/diagnose-catalog-source';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KINDS_KEY, OWNER_KIND_LABEL, OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { SystemClock } from '#platform/clock/system-clock';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import { fixedCredentials } from '#platform/kube/transport/credentials';
import { HttpTransport } from '#platform/kube/transport/http-transport';
import { silentLog } from '#platform/telemetry/log.port';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { WatchManaged } from '../../v1/observation/watch-managed.js';
import { clusterAccess } from './cluster-access.js';

const RBAC = { apiGroup: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };
const USER = 'hub-poller';
const Role = z.looseObject({
  rules: z.array(
    z.looseObject({ apiGroups: z.array(z.string()).default([]), resources: z.array(z.string()).default([]) }),
  ),
});

const shipped = async (file: string) =>
  KubernetesObject.parse(load(await readFile(join(PROJECT_ROOT, 'k8s/base/managed-cluster', `${file}.yaml`), 'utf8')));

let fleet: SimulatedFleet;
let client: HttpKubeClient;
const clock = new SystemClock();
const deps = () => ({ client: client.actingAs({ user: USER }), clock, log: silentLog });
const cluster = () => fleet.cluster('harbour');

const binding = (kind: 'ClusterRoleBinding' | 'RoleBinding', role: string, namespace?: string) => ({
  apiVersion: RBAC.apiVersion,
  kind,
  metadata: { name: role, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: RBAC.apiGroup, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: RBAC.apiGroup, kind: 'User', name: USER }],
});
const configMap = (name: string, namespace: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data: { packages: '[]' },
});

beforeAll(async () => {
  fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
  client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'flotilla-test' });
  for (const file of ['observe', 'observe-config-maps']) cluster().create(await shipped(file));
  cluster().create(binding('ClusterRoleBinding', 'flotilla:observe'));
});
afterAll(async () => {
  await client.close();
  await fleet.stop();
});

describe('a poller with the rights of flotilla:observe', () => {
  it('has no rights on ConfigMaps and Secrets', async () => {
    const { rules } = Role.parse(await shipped('observe'));
    const core = rules.filter(({ apiGroups }) => apiGroups.some((group) => group === '' || group === '*'));
    expect(core.flatMap(({ resources }) => resources).toSorted()).toEqual([
      'namespaces',
      'serviceaccounts',
      'services',
    ]);
  });

  it('reports which role a catalog in a ConfigMap needs, and reads it where that role is bound', async () => {
    cluster().create(configMap('shelf', 'default'));
    const { configMap: read, watchConfigMap } = clusterAccess(deps());
    const message = await read('default', 'shelf').catch((error: Error) => error.message);
    expect(message).toMatch(
      /^failed to get catalog config map shelf: .*configmaps "shelf" is forbidden: User "hub-poller" cannot get .*; bind ClusterRole flotilla:observe-config-maps \(k8s\/base\/managed-cluster\) to that user in namespace default$/,
    );
    const source: CatalogSource = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'c', namespace: 'default' },
      spec: { sourceType: 'configmap', configMap: 'shelf' },
      status: { message: String(message), connectionState: { lastObservedState: 'TRANSIENT_FAILURE' } },
    };
    expect(diagnoseCatalogSource(source).todo[0]).toMatch(
      / kubectl -n default create rolebinding .* --clusterrole=flotilla:observe-config-maps --user=hub-poller$/,
    );
    const seen: (string | undefined)[] = [];
    const stop = watchConfigMap('default', 'shelf', (version) => seen.push(version));
    cluster().create(binding('RoleBinding', 'flotilla:observe-config-maps', 'default'));
    const { resourceVersion } = await read('default', 'shelf');
    await expect.poll(() => seen, PATIENCE).toEqual([resourceVersion]);
    stop();
    await expect(read('kube-system', 'shelf')).rejects.toThrow(/is forbidden/);
  });

  it('watches what an extension brought, without its ConfigMaps', async () => {
    const moved: string[] = [];
    const warned: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warned.push(Object(fields).kind) };
    const watch = new WatchManaged({ ...deps(), log, onMoved: (extension) => void moved.push(extension) });
    const labels = { [OWNER_KIND_LABEL]: 'ClusterExtension', [OWNER_NAME_LABEL]: 'mill' };
    const annotations = { [KINDS_KEY]: JSON.stringify(['v1 ConfigMap', 'v1 Service']) };
    watch.follow([
      ClusterObjectSet.parse({
        apiVersion: 'olm.operatorframework.io/v1',
        kind: 'ClusterObjectSet',
        metadata: { name: 'mill-1', annotations },
        spec: { lifecycleState: 'Active', revision: 1 },
      }),
    ]);
    await expect.poll(() => warned, PATIENCE).toEqual(['ConfigMap']);
    cluster().create(configMap('mill', 'default', labels));
    cluster().create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'mill', namespace: 'default', labels },
      spec: { ports: [{ port: 80 }] },
    });
    await expect.poll(() => moved, PATIENCE).toContain('mill');
    await watch.stop();
  });
});
