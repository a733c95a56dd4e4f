import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { diagnoseCatalogSource } from '#core/cluster/diagnosis/diagnose-catalog-source';
import { CatalogSource } from '#core/kernel/api/catalog-source';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import { fixedCredentials } from '#platform/kube/transport/credentials';
import { HttpTransport } from '#platform/kube/transport/http-transport';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { silentLog } from '#platform/telemetry/log.port';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { aWhile, PATIENCE } from '#testing/patience';
import { CatalogContents, type LoadedCatalog } from '../contents/catalog-contents.js';
import { ClusterCatalogs } from './cluster-catalogs.js';
import { SharedCatalogs } from './shared-catalogs.js';

const REF = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', namespace: 'default', name: 'shop' };
let fleet: SimulatedFleet;
let client: HttpKubeClient;
let clock: ManualClock;
const started: ClusterCatalogs[] = [];

/** One content without packages; the steps before the registry are not tested here. */
class OneContent extends CatalogContents {
  failures = 0;
  /** A pull takes until this is done. */
  pulled: Promise<void> = Promise.resolve();
  override async ofImage(): Promise<LoadedCatalog> {
    await this.pulled;
    if (this.failures-- > 0) throw new Error('the registry is away');
    return {
      digest: `sha256:${'0'.repeat(64)}`,
      content: `sha256:${'1'.repeat(64)}`,
      index: indexCatalog([]),
      packages: 0,
    };
  }
}

const cluster = () => fleet.cluster('harbour');
const stored = () => CatalogSource.parse(cluster().get(REF));
const reported = () => stored().status?.connectionState?.lastObservedState;
const statusWrites = () => cluster().requests.filter(({ subresource }) => subresource === 'status').length;

beforeEach(async () => {
  fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  clock = new ManualClock();
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
  client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'test' });
  const crd = await readFile('k8s/crds/operators.coreos.com_catalogsources.yaml', 'utf8');
  cluster().create(KubernetesObject.parse(load(crd)));
  const spec = { sourceType: 'grpc', image: 'registry.example/shop:latest' };
  await expect.poll(() => client.serves(REF), PATIENCE).toBe(true);
  cluster().create({ ...REF, metadata: { namespace: REF.namespace, name: REF.name }, spec });
});

afterEach(async () => {
  for (const catalogs of started.splice(0)) catalogs.stop();
  await client.close();
  await fleet.stop();
});

/** A poller's catalogs of the cluster, from its start on. */
async function startCatalogs({ failures = 0, pulled = Promise.resolve(), prepared = false } = {}) {
  const contents = new OneContent(new HttpRegistryClient({}), new MemoryContentStore());
  Object.assign(contents, { failures, pulled });
  const status = { contentUrl: '', strict: false };
  const random = () => 0.5;
  const catalogs = new ClusterCatalogs({
    client,
    catalogs: new SharedCatalogs({ contents, clock, random }),
    clock,
    log: silentLog,
    status,
    random,
    onChange: () => undefined,
  });
  started.push(catalogs);
  if (prepared) await catalogs.prepare();
  catalogs.note(stored(), 'changed');
  return catalogs;
}

describe('the statuses of the catalogs of a cluster', () => {
  it('reports that a catalog is being loaded for the first time, then that it is ready', async () => {
    await startCatalogs({ failures: 1 });
    await expect.poll(reported, PATIENCE).toBe('TRANSIENT_FAILURE');
    await expect.poll(() => clock.advance(6_000).then(reported), PATIENCE).toBe('READY');
  });

  it('does not take back READY when the poller starts anew: nothing has happened to the catalog', async () => {
    const first = await startCatalogs();
    await expect.poll(reported, PATIENCE).toBe('READY');
    first.stop();
    const before = { resourceVersion: stored().metadata.resourceVersion, writes: statusWrites() };
    const pull = Promise.withResolvers<void>();
    const again = await startCatalogs({ pulled: pull.promise });
    await aWhile();
    pull.resolve();
    await expect.poll(() => again.all()[0]?.settled, PATIENCE).toBe(true);
    await aWhile();
    expect({ resourceVersion: stored().metadata.resourceVersion, writes: statusWrites() }).toEqual(before);
  });

  it('writes a status again that could not be written', async () => {
    // As often as the client itself retries before it gives up.
    for (let n = 0; n < 2; n += 1) cluster().failNext({ verb: 'update', subresource: 'status' }, 500, 'InternalError');
    await startCatalogs();
    await expect.poll(() => statusWrites(), PATIENCE).toBeGreaterThanOrEqual(2);
    expect(reported()).toBeUndefined();
    await expect.poll(() => clock.advance(10_000).then(reported), PATIENCE).toBe('READY');
  });

  it.each([
    { spec: undefined, says: 'unknown sourcetype: ' },
    { spec: null, says: 'unknown sourcetype: ' },
    { spec: 'text', says: 'spec is a text; a map is expected' },
    { spec: { sourceType: 7 }, says: 'spec.sourceType is the number 7; a text is expected: quote it' },
  ])('says what is wrong with a source that cannot be read, and serves the others: $spec', async ({ spec, says }) => {
    const catalogs = await startCatalogs();
    const ref = { ...REF, name: 'odd' };
    cluster().create({ ...REF, metadata: { namespace: REF.namespace, name: 'odd' }, spec: { sourceType: 'grpc' } });
    // As a cluster gives it whose definition is not OLM's.
    const given = client.get.bind(client);
    const foreign = <T extends KubernetesObject | undefined>(object: T): T =>
      object?.metadata.name === 'odd' ? { ...object, spec } : object;
    client.get = async <T extends KubernetesObject>(of: ObjectRef) => foreign(await given<T>(of));
    const write = client.updateStatus.bind(client);
    client.updateStatus = async (object) =>
      write(object.metadata.name === 'odd' ? { ...object, spec: { sourceType: 'grpc' } } : object);
    catalogs.note(foreign(cluster().get(ref)) as CatalogSource, 'changed');
    await expect.poll(reported, PATIENCE).toBe('READY');
    await expect
      .poll(() => cluster().get(ref)?.['status'], PATIENCE)
      .toEqual({ reason: 'SpecInvalidError', message: says });
    expect(catalogs.all().map(({ failure }) => failure)).toEqual([
      undefined,
      `no registry client established for catalogsource default/odd: ${says}`,
    ]);
  });
});

describe('the image templates of a cluster', () => {
  const template = 'registry.example/shop:v{kube_minor_version}';
  const condition = (type: string) =>
    (stored().status?.conditions ?? []).map((one) => Object(one)).find((one) => one.type === type);

  async function templated(versions: () => Promise<string>): Promise<ClusterCatalogs> {
    Object.assign(client, { serverVersion: versions });
    cluster().edit(REF, ({ metadata }) => {
      metadata.annotations = { 'olm.catalogImageTemplate': template };
    });
    return startCatalogs({ prepared: true });
  }

  /** The cluster's sources, reported to the catalogs as by their watch. */
  const watched = (catalogs: ClusterCatalogs) => () => {
    catalogs.note(stored(), 'changed');
    const { status, message } = condition('ResolvedImage') ?? {};
    return `${stored().spec.image}: ${status} ${message}`;
  };

  it('follow an upgrade of the cluster at the next resync', async () => {
    let version = 'v1.33.5+vendor.1';
    const catalogs = await templated(async () => version);
    const reported = (image: string) => `${image}: True ${image}`;
    await expect.poll(watched(catalogs), PATIENCE).toBe(reported('registry.example/shop:v33'));
    version = 'v1.34.0+vendor.1';
    await catalogs.resync();
    await expect.poll(watched(catalogs), PATIENCE).toBe(reported('registry.example/shop:v34'));
    expect(catalogs.all().map(({ source }) => source.spec.image)).toEqual(['registry.example/shop:v34']);
  });

  it('leave the image alone while the version is unknown, and ask again by themselves', async () => {
    let away = true;
    const catalogs = await templated(async () => {
      if (away) throw new Error('no answer');
      return 'v1.34.0';
    });
    const image = 'registry.example/shop:v34';
    await expect
      .poll(watched(catalogs), PATIENCE)
      .toBe('registry.example/shop:latest: False registry.example/shop:vmissing');
    away = false;
    await clock.advance(31_000);
    await expect.poll(watched(catalogs), PATIENCE).toBe(`${image}: True ${image}`);
  });
});

describe('the default CatalogSources of an OpenShift cluster', () => {
  const group = 'config.openshift.io';
  const hub = { apiVersion: `${group}/v1`, kind: 'OperatorHub', name: 'cluster' };
  const disable = (disabled: boolean) =>
    cluster().edit(hub, (live) => Object.assign(live, { spec: { sources: [{ name: REF.name, disabled }] } }));
  const types = () => (stored().status?.conditions ?? []).map((one) => Object(one).type);

  it('count as absent while the OperatorHub disables them, which their status says, and come back', async () => {
    cluster().create(
      KubernetesObject.parse({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `operatorhubs.${group}` },
        spec: {
          ...{ group, scope: 'Cluster', names: { kind: 'OperatorHub', plural: 'operatorhubs' } },
          versions: [
            {
              ...{ name: 'v1', served: true, storage: true },
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      }),
    );
    await expect.poll(() => client.serves(hub), PATIENCE).toBe(true);
    cluster().create({ apiVersion: hub.apiVersion, kind: hub.kind, metadata: { name: hub.name }, spec: {} });
    cluster().edit(REF, ({ metadata }) => {
      metadata.annotations = { 'operatorframework.io/managed-by': 'marketplace-operator' };
    });
    const catalogs = await startCatalogs({ prepared: true });
    await expect.poll(reported, PATIENCE).toBe('READY');

    disable(true);
    await catalogs.resync();
    await expect.poll(types, PATIENCE).toEqual(['DisabledByOperatorHub']);
    expect(reported()).toBeUndefined();
    expect(catalogs.all()).toEqual([]);
    expect(diagnoseCatalogSource(stored()).because.join()).toContain(
      'OperatorHub cluster disables this default source',
    );

    disable(false);
    catalogs.note(stored(), 'changed');
    await catalogs.resync();
    await expect.poll(reported, PATIENCE).toBe('READY');
    expect(types()).toEqual([]);
  });
});
