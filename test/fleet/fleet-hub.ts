import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { expect, vi } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { KUBECONFIG_SECRET } from '#platform/fleet/secret-access';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import {
  putSampleBundles,
  putSampleCatalog,
  SAMPLE_CATALOG,
} from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const OLM = 'operators.coreos.com/v1alpha1';
const EXAMPLES = join(PROJECT_ROOT, 'examples');
export const NAMESPACE = 'harbors';
/** The namespace of the fleet's objects. */
export const PLATFORM = 'platform';
/** The namespace of the hub in its API server. */
export const HUB_NAMESPACE = 'flotilla-system';
const CONTROLLERS = ['controller-a', 'controller-b'];
const NO_NAMESPACE = new Set(['FleetCluster', 'FleetWindow', 'FleetAssignment']);

export type FleetHubOptions = Readonly<{
  kubeconfigs: readonly string[];
  /** The context of the hub API. */
  hub: string;
  /** The clusters of the fleet, with their labels. */
  clusters: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Clusters with a kubeconfig from a Secret alone. */
  inSecrets?: readonly string[];
  /** Default: one of its own. */
  registry?: ServicesEnvironment['registry'];
  redis?: ServicesEnvironment['redis'];
}>;

/** The Secret with a cluster's kubeconfig. */
export const secretOf = (name: string, kubeconfig: object): KubernetesObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'Secret', type: KUBECONFIG_SECRET },
    metadata: { name, namespace: HUB_NAMESPACE },
    data: { kubeconfig: Buffer.from(JSON.stringify(kubeconfig)).toString('base64') },
  }) as KubernetesObject;

/** A hub API, clusters, and all services of a hub as processes of their own, the fleet controller twice. */
export class FleetHub {
  private constructor(
    readonly options: FleetHubOptions,
    readonly environment: ServicesEnvironment,
    readonly controllers: readonly ServiceProcess[],
    private readonly folder: string,
  ) {}

  static async start(options: FleetHubOptions): Promise<FleetHub> {
    const { kubeconfigs, hub, clusters, inSecrets = [] } = options;
    const contexts = Object.keys(clusters).filter((name) => !inSecrets.includes(name));
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-fleet-hub-'));
    const fleet = { FLOTILLA_FLEET: `context:${hub}`, FLOTILLA_CONTEXTS: contexts.join(',') };
    const environment = await startQuickEnvironment({
      ...{ kubeconfigs, settings: fleet },
      ...(options.registry === undefined ? {} : { registry: options.registry }),
      ...(options.redis === undefined ? {} : { redis: options.redis }),
    });
    const env = { ...fleet, FLOTILLA_KUBECONFIG: kubeconfigs.join(':'), FLOTILLA_FLEET_CONTROLLER_PORT: '0' };
    const controllers = CONTROLLERS.map(
      (name) => new ServiceProcess(name, 'fleet-controller', env, join(folder, `${name}.log`)),
    );
    const started = new FleetHub(options, environment, controllers, folder);
    await started.#prepare();
    for (const controller of controllers) controller.start();
    return started;
  }

  async stop(): Promise<void> {
    await Promise.all(this.controllers.map((controller) => controller.stop()));
    await this.environment.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  client(name: string): KubeClient {
    const found = this.environment.clients.find(({ cluster }) => cluster === name);
    if (found === undefined) throw new RangeError(`there is no context ${name}`);
    return found;
  }

  get hub(): KubeClient {
    return this.client(this.options.hub);
  }

  get names(): readonly string[] {
    return Object.keys(this.options.clusters);
  }

  /** The fleet's definitions and members, and a Manual Subscription in each cluster. */
  async #prepare(): Promise<void> {
    const folder = join(PROJECT_ROOT, 'k8s/crds/fleet');
    for (const file of (await readdir(folder)).filter((name) => name.startsWith('fleet')).sort()) {
      await this.hub.create(KubernetesObject.parse(load(await readFile(join(folder, file), 'utf8'))));
    }
    for (const kind of ['FleetCluster', 'FleetOperator', 'FleetStrategy', 'FleetDecision', 'FleetRollout']) {
      const served = async () => expect(await this.hub.serves({ apiVersion: FLEET_API, kind })).toBe(true);
      await vi.waitFor(served, PATIENCE);
    }
    await this.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLATFORM } });
    const { registry } = this.environment;
    await putSampleBundles(EXAMPLES, registry.put);
    await putSampleCatalog(EXAMPLES, 'v1', registry);
    await this.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: HUB_NAMESPACE } });
    for (const [name, labels] of Object.entries(this.options.clusters)) {
      await this.#subscribe(this.client(name));
      const isInSecret = this.options.inSecrets?.includes(name) === true;
      if (isInSecret) await this.hub.create(secretOf(name, await this.login(name)));
      await this.apply(
        'FleetCluster',
        name,
        { access: isInSecret ? { secretRef: { name } } : { context: name } },
        labels,
      );
    }
  }

  /** The kubeconfig of the hub for one cluster alone, with another token if one is given. */
  async login(name: string, token?: string): Promise<object> {
    for (const file of this.environment.applierKubeconfigs) {
      const config = parseKubeconfig(file, await readFile(file, 'utf8'));
      if (!config.contexts.includes(name)) continue;
      const { cluster, user } = config.access(name);
      return {
        ...{ apiVersion: 'v1', kind: 'Config', clusters: [{ name, cluster }] },
        users: [{ name, user: token === undefined ? user : { token } }],
        contexts: [{ name, context: { cluster: name, user: name } }],
      };
    }
    throw new RangeError(`there is no context ${name}`);
  }

  async #subscribe(client: KubeClient): Promise<void> {
    await serveCrds(client);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
    for (const file of ['1-namespace', '2-catalog-source', '3-subscription-manual']) {
      const text = await readFile(join(EXAMPLES, 'manifests', `${file}.yaml`), 'utf8');
      const placed = text
        .replaceAll('registry.example/', `${this.environment.registry.host}/`)
        .replace('interval: 1m', 'interval: 2s');
      for (const document of loadAll(placed)) await client.create(KubernetesObject.parse(document));
    }
  }

  /** A new edition of the sample catalog under the same name. */
  async offer(edition: string): Promise<void> {
    await putSampleCatalog(EXAMPLES, edition, this.environment.registry, SAMPLE_CATALOG);
  }

  async apply(kind: string, name: string, spec: object, labels: Record<string, string> = {}): Promise<void> {
    const metadata = { name, labels, ...(NO_NAMESPACE.has(kind) ? {} : { namespace: PLATFORM }) };
    await this.hub.create({ apiVersion: FLEET_API, kind, metadata, spec } as KubernetesObject);
  }

  /** The status of a fleet object. */
  async status(kind: string, name: string): Promise<Readonly<Record<string, unknown>>> {
    const namespace = NO_NAMESPACE.has(kind) ? {} : { namespace: PLATFORM };
    const found = await this.hub.get({ apiVersion: FLEET_API, kind, name, ...namespace });
    return ((found as { status?: object } | undefined)?.status ?? {}) as Record<string, unknown>;
  }

  async installed(cluster: string, name = 'harbor-operator', namespace = NAMESPACE): Promise<string | undefined> {
    const ref = { apiVersion: OLM, kind: 'Subscription', name, namespace };
    const found = (await this.client(cluster).get(ref)) as { status?: { installedCSV?: string } } | undefined;
    return found?.status?.installedCSV;
  }

  /** The InstallPlans that lead to a bundle. */
  async plansFor(cluster: string, bundle: string): Promise<readonly KubernetesObject[]> {
    const list = await this.client(cluster).list({ apiVersion: OLM, kind: 'InstallPlan' }, { namespace: NAMESPACE });
    return (list?.items ?? []).filter(({ spec }) =>
      (spec as { clusterServiceVersionNames: string[] }).clusterServiceVersionNames.includes(bundle),
    );
  }

  /** The controller that decides. */
  async leader(): Promise<ServiceProcess> {
    let found: ServiceProcess | undefined;
    const decides = async (controller: ServiceProcess) => {
      const url = controller.running ? await controller.url() : undefined;
      const answer = url === undefined ? '' : await fetch(`${url}/healthz`).then((response) => response.text());
      return answer.includes('"decides rollouts"');
    };
    const find = async () => {
      for (const controller of this.controllers) if (await decides(controller)) found = controller;
      return found !== undefined;
    };
    await expect.poll(find, LONG_PATIENCE).toBe(true);
    if (found === undefined) throw new Error('no controller decides');
    return found;
  }
}
