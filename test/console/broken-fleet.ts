import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/local/find-redis';
import { serveCrds } from '#testing/cluster/served-crds';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { madeCrd, offer } from '../integration/applier-support/made-operator.js';
import { runUp } from '../integration/up-support/run-up.js';
import * as fixture from '../story/bad-input-fixture.js';

/**
 * One is well; one has a catalog without an image, one lacks an API, one has another authority, and in one a
 * plan failed.
 */
export const [WELL, NO_IMAGE, NO_API, REFUSED, PLAN_FAILED] = ['lisbon', 'oslo', 'porto', 'riga', 'sofia'] as const;
const CLUSTERS = [WELL, NO_IMAGE, NO_API, REFUSED, PLAN_FAILED];
export const API = 'lamps.example.com';
const Config = z.looseObject({
  clusters: z.array(
    z.looseObject({ name: z.string(), cluster: z.looseObject({ 'certificate-authority-data': z.string() }) }),
  ),
});

export type BrokenFleet = Readonly<{
  /** Link that `flotilla up` prints. */
  link: string;
  kubeconfig: string;
  /** The image that cannot be pulled. */
  missing: string;
  stop: () => Promise<void>;
}>;

const BOLT = { kind: 'Bolt', group: 'bolts.example.com' };
const boltCrd = (size: object) =>
  madeCrd(BOLT, [{ name: 'v1', storage: true, properties: { size: { type: 'integer', ...size } } }]);
/** An object that the CRD of the operator `bolt` does not allow. */
export const TOO_BIG = { resource: 'bolts', namespace: 'bolt', name: 'big' } as const;

/** Five clusters under one `flotilla up`, in four of which something is broken. */
export async function startBrokenFleet(): Promise<BrokenFleet> {
  const endings: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-broken-fleet-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const fleet = await startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 });
    endings.push(() => fleet.stop());
    const registry = await startRegistry();
    endings.push(() => registry.stop());
    const redis = await findRedis({ log: () => undefined, preferExisting: false });
    endings.push(() => redis.stop());

    const offered: BundleFile[] = [];
    await offer({ registry, offered }, 'lantern', [{ version: '1.0.0', objects: [] }]);
    const required = [{ name: API, version: 'v2', kind: 'Lamp' }];
    const wanting = { version: '1.0.0', objects: [], spec: { customresourcedefinitions: { required } } };
    await offer({ registry, offered }, 'harbor', [wanting]);
    await offer({ registry, offered }, 'bolt', [{ version: '1.0.0', objects: [boltCrd({ maximum: 5 })] }]);
    const files = Object.fromEntries(offered.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
    registry.put('shop/operators:v1', await fixture.catalogImage(files));
    const image = `${registry.host}/shop/operators:v1`;
    const missing = `${registry.host}/shop/extras:v1`;

    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
    const clients = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'kubectl' });
    endings.push(() => Promise.all(clients.map((client) => client.close())));
    await Promise.all(clients.map((client) => fill(client, image, missing)));
    await writeFile(kubeconfig, await distrusting(fleet.kubeconfig()), { mode: 0o600 });
    const up = runUp(['--kubeconfig', kubeconfig], {
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
      FLOTILLA_REDIS_URL: redis.url,
      FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: '1s',
    });
    endings.push(() => up.end('SIGTERM'));
    await up.running();
    const [link = ''] = /https?:\/\/\S+#key=\S+/.exec(up.said.out) ?? [];
    return { link, kubeconfig, missing, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Lanterns everywhere, and what breaks in two of the clusters. */
async function fill(client: KubeClient, image: string, missing: string): Promise<void> {
  await serveCrds(client);
  await fixture.createNamespace(client, 'olm', []);
  const create = async (name: string) => {
    await fixture.createNamespace(client, name);
    await fixture.createCatalog(client, name, { image }, 'operators');
    await fixture.subscribe(client, name, name, { name: 'operators', namespace: name });
  };
  await create('lantern');
  if (client.cluster === NO_IMAGE) await fixture.createCatalog(client, 'lantern', { image: missing }, 'extras');
  if (client.cluster === NO_API) await create('harbor');
  if (client.cluster === PLAN_FAILED) {
    await fixture.createNamespace(client, TOO_BIG.namespace);
    await client.create(boltCrd({}));
    const { namespace, name } = TOO_BIG;
    const big = { apiVersion: `${BOLT.group}/v1`, kind: BOLT.kind, metadata: { name, namespace }, spec: { size: 7 } };
    await vi.waitFor(() => client.create(big), PATIENCE);
    await create(TOO_BIG.namespace);
  }
}

/** One of its clusters is expected to have a certificate of another authority. */
async function distrusting(kubeconfig: string): Promise<string> {
  const { caPem } = await servingCertificate();
  const config = Config.parse(parse(kubeconfig));
  const clusters = config.clusters.map(({ name, cluster }) => ({
    name,
    cluster:
      name === REFUSED ? { ...cluster, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } : cluster,
  }));
  return stringify({ ...config, clusters });
}
