import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { awaitedObject } from './awaited-object.js';
import { createIgnoringExisting } from './environment/create-object.js';
import type { DemoEnvironment } from './environment/demo-environment.js';
import { installMissingCrds } from './environment/install-crds.js';
import { putSampleBundles, putSampleCatalog, SAMPLE_CATALOG } from './environment/sample-images.js';
import { objectSighting } from './motion/object-sighting.js';
import { StillWatch } from './motion/still-watch.js';
import type { Seen } from './seen-objects.js';
import type { Timeline } from './timeline.js';

const OLM = KIND.Subscription.apiVersion;
export const SAMPLE_NAMESPACE = 'harbors';
const CATALOG_NAMESPACE = 'olm';
/** The versions that the demo installs one after the other. */
const VERSIONS = ['v1.0.0', 'v1.1.0', 'v1.2.0'];
const PACKAGES = ['harbor-operator', 'lighthouse-operator'];
const POLL_INTERVAL = '2s';
const POLL_EVERY_MS = 150;

type Scenario = Readonly<{
  environment: DemoEnvironment;
  timeline: Timeline;
  /** The folder with the sample bundles, catalogs and manifests. */
  examples: string;
  /** The sample catalog's image, without host; stories that share a registry need one each. */
  catalogImage?: string;
  /** Longest time without any motion on a machine that has no other work. */
  patienceMs: number;
  /** Called at the turning points of the story: a place for tests to break things. */
  onStep?: (scenarioStep: ScenarioStep) => Promise<void>;
}>;

export type ScenarioStep = 'subscribed' | 'first-plan' | 'installed' | 'catalog-updated' | 'first-hop' | 'upgraded';

/** The approval in a cluster: the first approves by itself, the others wait for a user. */
export const isManual = (index: number): boolean => index > 0;

/** The whole story: install with a dependency, then an upgrade over two hops, on every cluster at once. */
export async function playScenario(scenario: Scenario): Promise<void> {
  const { environment, timeline, examples, catalogImage } = scenario;
  await putSampleBundles(examples, environment.registry.put);
  await putSampleCatalog(examples, 'v1', environment.registry, catalogImage);
  timeline.log('registry', 'catalog image', 'first edition pushed, with six bundle images');
  await Promise.all(environment.clients.map((client, index) => prepare(scenario, client, isManual(index))));
  await scenario.onStep?.('subscribed');
  await everywhere(scenario, 'v1.0.0', 'first-plan');
  await scenario.onStep?.('installed');
  await putSampleCatalog(examples, 'v2', environment.registry, catalogImage);
  timeline.log('registry', 'catalog image', 'new edition pushed: it knows v1.1.0 and v1.2.0');
  await scenario.onStep?.('catalog-updated');
  await everywhere(scenario, 'v1.1.0', 'first-hop');
  await everywhere(scenario, 'v1.2.0');
  await scenario.onStep?.('upgraded');
}

async function prepare(scenario: Scenario, client: KubeClient, manual: boolean): Promise<void> {
  const { timeline, examples } = scenario;
  await installMissingCrds(client);
  await createIgnoringExisting(client, { ...KIND.Namespace, metadata: { name: CATALOG_NAMESPACE } });
  const approval = manual ? 'manual' : 'automatic';
  const files = ['1-namespace.yaml', '2-catalog-source.yaml', `3-subscription-${approval}.yaml`];
  for (const file of files) {
    const text = await readFile(join(examples, 'manifests', file), 'utf8');
    for (const document of loadAll(placed(text, scenario))) {
      await createIgnoringExisting(client, KubernetesObject.parse(document));
    }
  }
  timeline.log(
    client.cluster,
    'Subscription to harbor-operator',
    `created, approval ${manual ? 'Manual' : 'Automatic'}`,
  );
}

const placed = (manifest: string, { environment, catalogImage = SAMPLE_CATALOG }: Scenario): string =>
  manifest
    .replaceAll(SAMPLE_CATALOG, catalogImage)
    .replaceAll('registry.example/', `${environment.registry.host}/`)
    .replace('interval: 1m', `interval: ${POLL_INTERVAL}`);

/** Waits on every cluster until both operators run at this version. Approves plans if approval is manual. */
async function everywhere(scenario: Scenario, version: string, onPlan?: ScenarioStep): Promise<void> {
  const { environment, patienceMs } = scenario;
  const watch = new StillWatch(patienceMs, environment.services);
  let isReported = false;
  const reportOnce = async () => {
    if (isReported || onPlan === undefined) return;
    isReported = true;
    await scenario.onStep?.(onPlan);
  };
  await Promise.all(
    environment.clients.map((client, index) => reach(scenario, watch, client, version, isManual(index), reportOnce)),
  );
}

async function reach(
  { timeline }: Scenario,
  watch: StillWatch,
  client: KubeClient,
  version: string,
  manual: boolean,
  onPlan: () => Promise<void>,
): Promise<void> {
  const wanted = PACKAGES.map((name) => `${name}.${version}`);
  for (;;) {
    const seen = await poll(client, timeline);
    if (seen.plans.some(({ spec }) => spec.clusterServiceVersionNames.some((name) => wanted.includes(name))))
      await onPlan();
    if (manual) await approveWaiting(client, seen.plans, timeline);
    const missing = PACKAGES.find((name) => !hasReached(seen, name, version));
    timeline.waitFor(client.cluster, missing && awaitedObject(seen, missing, version));
    if (missing === undefined) return;
    const awaited = awaitedObject(seen, missing, version) ?? `${missing}.${version}`;
    const objects = [...seen.catalogs, ...seen.subscriptions, ...seen.plans, ...seen.csvs];
    const sightings = objects.map((object) => objectSighting(client.cluster, object));
    watch.look(`${client.cluster}: ${awaited}`, sightings);
    await pause();
  }
}

/** OLM's objects of the scenario as they are now; news is printed. */
export async function poll(client: KubeClient, timeline: Timeline): Promise<Seen> {
  const list = async <T extends KubernetesObject>(kind: string, namespace: string) => {
    const found = await client.list<T>({ apiVersion: OLM, kind }, { namespace });
    const items = (found?.items ?? []).map((item) => ({ ...item, apiVersion: OLM, kind }));
    for (const item of items) timeline.notice(client.cluster, item);
    return items;
  };
  return {
    catalogs: await list('CatalogSource', CATALOG_NAMESPACE),
    plans: await list<InstallPlan>('InstallPlan', SAMPLE_NAMESPACE),
    csvs: await list<ClusterServiceVersion>('ClusterServiceVersion', SAMPLE_NAMESPACE),
    subscriptions: await list<Subscription>('Subscription', SAMPLE_NAMESPACE),
  };
}

/**
 * True if the operator is at this version or already at a later one. If plans are approved automatically,
 * hops follow each other within a moment.
 */
function hasReached(seen: Seen, packageName: string, version: string): boolean {
  const [first, ...later] = VERSIONS.slice(VERSIONS.indexOf(version)).map((one) => `${packageName}.${one}`);
  const passed = seen.csvs.some(({ metadata }) => later.includes(metadata.name ?? ''));
  return passed || (first !== undefined && isInstalled(seen, packageName, first));
}

/** True if the CSV has succeeded, its predecessor is gone and its Subscription is at rest. */
function isInstalled({ csvs, subscriptions }: Seen, packageName: string, name: string): boolean {
  const ofPackage = csvs.filter(({ metadata }) => metadata.name?.startsWith(`${packageName}.`));
  const subscription = subscriptions.find(({ spec }) => spec.name === packageName);
  return (
    ofPackage.length === 1 &&
    ofPackage[0]?.metadata.name === name &&
    ofPackage[0].status?.phase === 'Succeeded' &&
    subscription?.status?.installedCSV === name
  );
}

async function approveWaiting(client: KubeClient, plans: readonly InstallPlan[], timeline: Timeline): Promise<void> {
  for (const plan of plans.filter(({ spec, status }) => !spec.approved && status?.phase === 'RequiresApproval')) {
    const { name = '', namespace } = plan.metadata;
    await client.patch({ ...KIND.InstallPlan, name, namespace }, { spec: { approved: true } });
    timeline.log(client.cluster, `InstallPlan ${name}`, 'approved by the script');
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
