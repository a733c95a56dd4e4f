import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { loadAll } from 'js-yaml';
import { expect, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { STATUS_FOLDER } from '#platform/fleet/folder/folder-files';
import { KeptObjects } from '#platform/fleet/folder/kept-objects';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { applierLogins } from '#testing/control-plane/applier-logins';
import { LONG_PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { type CommandResult, runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { type RunningUp, runUp } from '../integration/up-support/run-up.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
/** Packages of a Subscription to the first: it depends on the second. */
export const PACKAGES = ['harbor-operator', 'lighthouse-operator'];
export const NAMESPACE = 'harbors';
/** Longer than a busy machine holds up the hub between two writes. */
const STILL_FOR_MS = 3_000;
const OPERATOR = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator' };
const OLM_KINDS = [CATALOG_SOURCE_API, SUBSCRIPTION_API, INSTALL_PLAN_API, CSV_API, OPERATOR_GROUP_API, OPERATOR];

/** Clusters of `flotilla up` that become a fleet, with objects in a folder. */
export class FolderFleet {
  /** `flotilla up`, as long as it runs. */
  up: RunningUp | undefined;

  private constructor(
    private readonly folder: string,
    readonly clients: readonly KubeClient[],
    readonly registry: InMemoryRegistry,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** The clusters of these kubeconfigs; their contexts are those of the commands that run here, too. */
  static async start(kubeconfigs: readonly string[]): Promise<FolderFleet> {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-folder-'));
    const registry = await startRegistry();
    await putSampleBundles(EXAMPLES, registry.put);
    await putSampleCatalog(EXAMPLES, 'v1', registry);
    const KUBECONFIG = kubeconfigs.join(delimiter);
    vi.stubEnv('KUBECONFIG', KUBECONFIG);
    vi.stubEnv('FLOTILLA_FLEET', '');
    const clients = await loadClusters({ kubeconfigs, fieldManager: 'users' });
    const environment = {
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CLUSTERS_FILE: join(folder, 'joined'),
      KUBECONFIG: (await applierLogins(kubeconfigs, folder)).join(delimiter),
    };
    return new FolderFleet(folder, clients, registry, environment);
  }

  async stop(): Promise<void> {
    vi.unstubAllEnvs();
    await this.up?.kill();
    for (const client of this.clients) await client.close();
    await this.registry.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The folder with the fleet's objects. */
  get files(): string {
    return join(this.folder, 'fleet');
  }

  get contexts(): readonly string[] {
    return this.clients.map(({ cluster }) => cluster);
  }

  client(name: string): KubeClient {
    const found = this.clients.find(({ cluster }) => cluster === name);
    if (found === undefined) throw new RangeError(`there is no context ${name}`);
    return found;
  }

  async begin(...args: readonly string[]): Promise<RunningUp> {
    this.up = runUp(['--no-console', ...args], this.environment);
    await this.up.running();
    return this.up;
  }

  /** Ends `flotilla up`; its exit code. */
  async end(): Promise<number | undefined> {
    return this.up?.end('SIGTERM');
  }

  /** `flotilla fleet`, about the folder. */
  verb(...args: readonly string[]): Promise<CommandResult> {
    return runFlotilla(['fleet', ...args, '--fleet', this.files]);
  }

  /** Returns the report of the hub about a cluster, from the folder. */
  async reportOf(cluster: string): Promise<Readonly<Record<string, unknown>>> {
    const kept = await new KeptObjects(join(this.files, STATUS_FOLDER)).read();
    const own = [...kept.values()].find(({ kind, metadata }) => kind === 'FleetCluster' && metadata.name === cluster);
    return { ...(own?.['status'] as object | undefined) };
  }

  /** The strategy that `fleet export` has written, edited. */
  async writeStrategy(text: string): Promise<void> {
    await writeFile(join(this.files, 'strategies.yaml'), text);
  }

  /** Installs as users of today do: Subscriptions in each cluster that follow their catalog by themselves. */
  async install(): Promise<void> {
    for (const client of this.clients) await serveCrds(client);
    await this.begin(...this.contexts.flatMap((name) => ['--context', name]));
    for (const client of this.clients) {
      await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } }, { fieldManager: 'users' });
      for (const file of ['1-namespace', '2-catalog-source', '3-subscription-automatic']) {
        const text = await readFile(join(EXAMPLES, 'manifests', `${file}.yaml`), 'utf8');
        for (const one of loadAll(text.replaceAll('registry.example/', `${this.registry.host}/`))) {
          await client.create(KubernetesObject.parse(one));
        }
      }
    }
    await expect
      .poll(() => this.#phases(), LONG_PATIENCE)
      .toEqual(this.clients.map(() => PACKAGES.map(() => 'Succeeded')));
    await this.#untilStill();
    expect(await this.end()).toBe(0);
  }

  /** The next hub writes everything that a hub has not written at its end. */
  async #untilStill(): Promise<void> {
    const kinds = [...OLM_KINDS, { apiVersion: 'v1', kind: 'Namespace' }];
    const versions = async () => {
      const lists = await Promise.all(this.clients.flatMap((client) => kinds.map((kind) => client.list(kind))));
      return lists.flatMap((list) => (list?.items ?? []).map(({ metadata }) => metadata.resourceVersion)).join();
    };
    let last = '';
    const isStill = async () => {
      const before = last;
      last = await versions();
      return last === before;
    };
    await expect.poll(isStill, { ...LONG_PATIENCE, interval: STILL_FOR_MS }).toBe(true);
  }

  #phases(): Promise<readonly unknown[]> {
    return Promise.all(
      this.clients.map(async (client) =>
        ((await client.list(CSV_API, { namespace: NAMESPACE }))?.items ?? []).map((csv) => Object(csv['status']).phase),
      ),
    );
  }

  /** Resolves once a class of the rollout waits for its approval. */
  async waitsForApproval(rollout: string): Promise<void> {
    const asked = async () => (await this.#approve(rollout, '--dry-run')).exit;
    await expect.poll(asked, LONG_PATIENCE).toBe(0);
  }

  /** Approves all classes of a rollout, once they wait for that. Returns the output of the command. */
  async approve(rollout: string): Promise<string> {
    await this.waitsForApproval(rollout);
    const { out, exit } = await this.#approve(rollout);
    expect({ out, exit }).toMatchObject({ exit: 0 });
    return out;
  }

  #approve(rollout: string, ...more: readonly string[]): Promise<CommandResult> {
    return this.verb('approve', rollout, '--all-classes', '--reason', 'CHG-1', ...more);
  }
}
