import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { LONG_PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import type { FleetHub } from './fleet-hub.js';

type Condition = Readonly<{ type: string; status: string; reason: string }>;
type Login = Readonly<{
  clusters: readonly [{ cluster: { server: string; 'certificate-authority-data'?: string } }];
  users: readonly [{ user: { token: string } }];
}>;

const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' } as const;

/**
 * A cluster that Argo CD knows: the poller of a hub that runs makes its FleetCluster, and the hub manages it
 * with the login of Argo CD. It stays managed when Argo CD has it no more. Its token is in no log and not in
 * Redis.
 */
export async function importAndLeave(fleet: FleetHub, name: string): Promise<void> {
  const { clusters, users } = (await fleet.login(name)) as Login;
  const { token } = users[0].user;
  const { server, 'certificate-authority-data': caData } = clusters[0].cluster;
  const config = JSON.stringify({ bearerToken: token, tlsClientConfig: { insecure: false, caData } });
  const data = Object.entries({ name, server, config }).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data: Object.fromEntries(data) },
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster', ring: 'lab' } },
  } as KubernetesObject;
  await fleet.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  await fleet.hub.create(secret);
  const command = ['clusters', 'import', '--from', 'argocd', '--source', 'argo', '--fleet', fleet.options.hub];
  expect(await runFlotilla(command)).toMatchObject({
    exit: 0,
    out: `FleetClusterSource argo keeps in step 1 cluster: ${name}\n`,
  });

  const conditions = async (...types: readonly string[]) => {
    const { conditions: all = [] } = (await fleet.status('FleetCluster', name)) as {
      conditions?: readonly Condition[];
    };
    return all.filter(({ type }) => types.includes(type)).map(({ type, reason }) => `${type} ${reason}`);
  };
  const managed = () => conditions('InSource', 'Managed', 'Reachable');
  await expect.poll(managed, LONG_PATIENCE).toEqual(['InSource Present', 'Managed Acting', 'Reachable Answering']);
  const member = { apiVersion: FLEET_API, kind: 'FleetCluster', name };
  expect((await fleet.hub.get(member))?.metadata.labels).toMatchObject({ ring: 'lab' });

  await fleet.hub.delete({ ...SECRET, name });
  await expect.poll(managed, LONG_PATIENCE).toEqual(['InSource Left', 'Managed Acting', 'Reachable Answering']);
  await expect.poll(() => conditions('CredentialsValid'), LONG_PATIENCE).toEqual(['CredentialsValid Rejected']);
  await fleet.hub.create(secret);
  await expect.poll(managed, LONG_PATIENCE).toEqual(['InSource Present', 'Managed Acting', 'Reachable Answering']);
  await expect.poll(() => conditions('CredentialsValid'), LONG_PATIENCE).toEqual(['CredentialsValid Valid']);

  const logs = await Promise.all(fleet.environment.services.map((service) => service.logged()));
  expect(JSON.stringify(logs)).toContain('FleetClusterSource');
  const objects = await Promise.all(
    ['FleetCluster', 'FleetClusterSource'].map((kind) => fleet.hub.list({ apiVersion: FLEET_API, kind })),
  );
  expect(JSON.stringify([logs, objects])).not.toContain(token);
  expect(await valuesOf(fleet.environment.redis.url)).not.toContain(token);
}

/** Every key of a Redis, and its values that are texts. */
async function valuesOf(url: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*');
    const read: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
      string: (key) => redis.get(key),
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      set: (key) => redis.smembers(key),
      zset: (key) => redis.zrangebyscore(key, '-inf', '+inf'),
      stream: (key) => redis.xrange(key, '-', '+'),
    };
    const values = await Promise.all(keys.map(async (key) => read[await redis.type(key)]?.(key)));
    expect(values.length).toBeGreaterThan(10);
    return JSON.stringify([keys, values]);
  } finally {
    redis.disconnect();
  }
}
