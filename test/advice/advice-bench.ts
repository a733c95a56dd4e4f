import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { ADVICE } from '#core/cluster/advice/advice';
import { commandIn, contextAccess } from '#core/cluster/advice/command-in';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { LONG_PATIENCE, PATIENCE_MS } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { ServiceName } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { type MadeVersion, offer } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import type { AdviceCluster } from './advice-clusters.js';
import { createHubAccounts } from './hub-accounts.js';

export type AdviceName = keyof typeof ADVICE;
export const ADVICE_NAMES = Object.keys(ADVICE) as AdviceName[];

/** One trouble, the advice about it, and the end that the advice promises. Its name is also its namespace. */
export type AdviceCase = Readonly<{
  /** It stops the hub, or takes rights from it: it is played after the others. */
  alone?: true;
  carries: readonly AdviceName[];
  play: (bench: AdviceBench, namespace: string) => Promise<void>;
}>;

const POLL = { ...LONG_PATIENCE, interval: 200 };
const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const run = promisify(execFile);
const SETTINGS = {
  FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: '2s',
  FLOTILLA_BUNDLE_UNPACK_TIMEOUT: '2s',
  // Interval of the reads of the OperatorHub of OpenShift, since no watch covers it.
  FLOTILLA_RESYNC_INTERVAL: '20s',
};

/** Waits for this outcome. Cases run side by side, so nothing here depends on the test that is under way. */
export const until = (read: () => unknown, wanted: unknown): Promise<void> =>
  vi.waitFor(async () => expect(await read()).toEqual(wanted), POLL);

/** Starts the services of the hub again, with these settings besides. */
type Restart = (settings: Readonly<Record<string, string>>) => Promise<void>;

export type Ran = Readonly<{ exit: number; out: string }>;

/** Cluster with the services of the hub. The bench carries out the advice of `explain` as a user does. */
export class AdviceBench {
  readonly #printed = new Map<string, Set<AdviceName>>();
  readonly #editions = new Map<string, number>();
  /** Files of each image, and of the catalog content of each namespace. */
  readonly #texts = new Map<string, string>();
  readonly #published = new Map<string, string>();

  private constructor(
    readonly registry: InMemoryRegistry,
    readonly client: KubeClient,
    readonly kubeconfigs: Readonly<{ user: string; applier: string }>,
    private readonly services: ServicesEnvironment['services'],
    readonly stop: () => Promise<void>,
  ) {}

  /** Ends the cluster, too, once the services have ended. */
  static async start(cluster: AdviceCluster, accounts = createHubAccounts): Promise<AdviceBench> {
    const endings = [() => cluster.stop()];
    const stop = async () => {
      for (const end of endings.splice(0).toReversed()) await end();
    };
    try {
      const folder = await mkdtemp(join(tmpdir(), 'flotilla-advice-'));
      endings.push(() => rm(folder, { recursive: true, maxRetries: 5 }));
      const kubeconfig = join(folder, 'kubeconfig');
      await writeFile(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
      const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'advice' });
      if (client === undefined) throw new Error('the environment has no cluster');
      endings.push(() => client.close());
      await serveCrds(client);
      await fixture.createNamespace(client, 'olm', []);
      const hub = await accounts(client, cluster.kubeconfig, folder);
      const registry = await startRegistry();
      endings.push(() => registry.stop());
      const environment = await startQuickEnvironment({
        ...{ registry, kubeconfigs: [kubeconfig], settings: SETTINGS },
        settingsOf: (service) => (service === 'resolver-worker' ? {} : { FLOTILLA_KUBECONFIG: hub[service] }),
      });
      endings.push(environment.stop);
      await allRunning(environment.services);
      return new AdviceBench(registry, client, { user: kubeconfig, applier: hub.applier }, environment.services, stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /**
   * The names of the advices that explain has printed for this case: in its namespace and in those it begins.
   */
  printed(name: string): AdviceName[] {
    const own = [...this.#printed].filter(([namespace]) => namespace === name || namespace.startsWith(`${name}-`));
    return [...new Set(own.flatMap(([, names]) => [...names]))].sort();
  }

  /** Waits until explain prints this advice about the subject; the line as it is printed. */
  advised<N extends AdviceName>(
    [namespace, ...subject]: readonly [namespace: string, kind: string, name: string],
    name: N,
    ...given: Parameters<(typeof ADVICE)[N]>
  ): Promise<string> {
    const kind = subject[0] ?? '';
    const where = /^cluster|^extension/.test(kind) ? [] : ['-n', namespace];
    return this.#shown(async () => ['explain', ...subject, ...where], namespace, '  ', name, given);
  }

  /** Carries out the advice that `explain` gives with the help of this service of the hub. */
  advisedByHub<N extends AdviceName>(
    service: ServiceName,
    [namespace, ...subject]: readonly [namespace: string, kind: string, name: string],
    name: N,
    ...given: Parameters<(typeof ADVICE)[N]>
  ): Promise<string> {
    // A service that was started again has another address once it listens.
    const verb = async () => {
      const url = await this.services.find((one) => one.name === service)?.url();
      return ['explain', ...subject, '-n', namespace, '--hub', url ?? ''];
    };
    return this.#shown(verb, namespace, '  ', name, given);
  }

  /** Carries out the advice that `status` prints about an object. `status` shows only its first advice. */
  advisedByStatus<N extends AdviceName>(
    namespace: string,
    name: N,
    ...given: Parameters<(typeof ADVICE)[N]>
  ): Promise<string> {
    return this.#shown(async () => ['status', '--all'], namespace, '    → ', name, given);
  }

  async #shown<N extends AdviceName>(
    verb: () => Promise<readonly string[]>,
    namespace: string,
    lead: string,
    name: N,
    given: Parameters<(typeof ADVICE)[N]>,
  ): Promise<string> {
    const make = ADVICE[name] as (...values: typeof given) => string;
    const { cluster } = this.client;
    const access = contextAccess({ cluster, context: cluster, kubeconfig: this.kubeconfigs.user, isGiven: true });
    const line = commandIn(access, make(...given));
    const options = ['-C', this.client.cluster, '--kubeconfig', this.kubeconfigs.user];
    const printed = async () => (await runFlotilla([...(await verb()), ...options])).out;
    await vi.waitFor(async () => expect(await printed()).toContain(`${lead}${line}\n`), POLL);
    this.#printed.set(namespace, (this.#printed.get(namespace) ?? new Set()).add(name));
    return line;
  }

  async stopHub(): Promise<void> {
    for (const service of this.services) await service.stop();
  }

  async startHub(): Promise<void> {
    for (const service of this.services) service.start();
    await allRunning(this.services);
  }

  /** Plays with a hub whose settings change; it has its own again afterwards. */
  async withOtherSettings(play: (restart: Restart) => Promise<void>): Promise<void> {
    const before = new Map<string, string | undefined>();
    const restart: Restart = async (settings) => {
      await this.stopHub();
      for (const [name, value] of Object.entries(settings)) {
        if (!before.has(name)) before.set(name, process.env[name]);
        process.env[name] = value;
      }
      await this.startHub();
    };
    try {
      await play(restart);
    } finally {
      for (const name of before.keys()) delete process.env[name];
      for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
      await restart({});
    }
  }

  /**
   * Runs the command of a line, literally, with bin/ and kubectl on the PATH. `fill` gives values to its
   * placeholders.
   */
  async follow(line: string, fill: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const found = /(?:^|: )((?:kubectl|flotilla) .*)$/.exec(line)?.[1];
    if (found === undefined) throw new Error(`no command in: ${line}`);
    const command = Object.entries(fill).reduce((text, [name, value]) => text.replace(name, value), found);
    const env = {
      ...process.env,
      PATH: `${join(PROJECT_ROOT, 'bin')}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: this.kubeconfigs.user,
      FLOTILLA_KUBECONFIG: this.kubeconfigs.user,
    };
    try {
      const { stdout, stderr } = await run('bash', ['-c', command], { env, timeout: PATIENCE_MS });
      return { exit: 0, out: `${stdout}${stderr}` };
    } catch (error) {
      const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
      if (typeof code !== 'number') throw error;
      return { exit: code, out: `${stdout ?? ''}${stderr ?? ''}` };
    }
  }

  /** The same for a command that must end well. */
  async done(line: string, fill: Readonly<Record<string, string>> = {}): Promise<string> {
    const { exit, out } = await this.follow(line, fill);
    expect({ exit, out }).toMatchObject({ exit: 0 });
    return out;
  }

  /** The catalog `shelf` of the namespace offers these versions of a package from now on. */
  async publish(namespace: string, name: string, versions: readonly MadeVersion[]): Promise<void> {
    const image = await this.catalog(name, versions);
    const ref = { apiVersion: V1ALPHA1, kind: 'CatalogSource', name: 'shelf', namespace };
    const address = () => fixture.contentAddress(this.client, namespace);
    const before = await address();
    if ((await this.client.get(ref)) === undefined) await fixture.createCatalog(this.client, namespace, { image });
    else await this.client.patch(ref, { spec: { image } });
    // The catalog content does not change if another bundle replaces the bundle of the same name.
    const isOther = this.#published.get(namespace) !== this.#texts.get(image);
    this.#published.set(namespace, this.#texts.get(image) ?? '');
    if (isOther) await until(address, expect.not.stringMatching(`^${before}$`));
    await until(() => fixture.catalogStatus(this.client, namespace), 'READY');
  }

  /** An image with a catalog of this package, under a tag of its own. */
  async catalog(name: string, versions: readonly MadeVersion[]): Promise<string> {
    const edition = (this.#editions.get(name) ?? 0) + 1;
    this.#editions.set(name, edition);
    const offered: BundleFile[] = [];
    const { registry } = this;
    await offer({ registry, offered }, name, versions);
    const files = Object.fromEntries(offered.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
    const reference = `advice/${name}-shelf:${edition}`;
    registry.put(reference, await fixture.catalogImage(files));
    const image = `${registry.host}/${reference}`;
    this.#texts.set(image, JSON.stringify(files));
    return image;
  }

  /** A namespace with one OperatorGroup, a catalog of one package of its name, and a Subscription. */
  async subscribed(namespace: string, versions: readonly MadeVersion[]): Promise<void> {
    await fixture.createNamespace(this.client, namespace);
    await this.publish(namespace, namespace, versions);
    await fixture.subscribe(this.client, namespace, namespace);
  }

  /** Waits until the namespace has these CSVs, as `name phase`. */
  async runs(namespace: string, ...wanted: string[]): Promise<void> {
    await until(() => fixture.operators(this.client, namespace), wanted);
  }

  /** Waits until a CSV of the namespace has this reason. */
  async fails(namespace: string, name: string, reason: string): Promise<void> {
    const ref = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', name, namespace };
    await until(async () => Object((await this.client.get(ref))?.['status']).reason, reason);
  }

  /** The newest InstallPlan of the namespace, once it is in this phase. */
  async plan(namespace: string, phase: string): Promise<string> {
    let newest = '';
    const latest = async () => {
      const plans = (await this.client.list({ apiVersion: V1ALPHA1, kind: 'InstallPlan' }, { namespace }))?.items ?? [];
      const generation = (one: object) => Number(Object(Object(one)['spec']).generation ?? 0);
      const plan = plans.toSorted((a, b) => generation(b) - generation(a))[0];
      newest = plan?.metadata.name ?? '';
      return Object(plan?.['status']).phase;
    };
    await until(latest, phase);
    return newest;
  }
}
