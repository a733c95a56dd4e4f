import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EtcdSnapshot } from '#testing/cluster/objects/storage';
import type { SimulatedCluster, StoredObject } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';

const BACKUPS_KEPT = 4;

/** The same moment in two forms: the stored objects, and a copy of etcd's data. */
type Backup = Readonly<{ stored: readonly StoredObject[]; copy: EtcdSnapshot }>;

/** A simulated cluster with an API server and a network of its own. */
export class ChaosCluster {
  readonly cluster: SimulatedCluster;
  #token: string;
  /** Backups of earlier times, the oldest first. */
  readonly #backups: Backup[] = [];

  private constructor(
    readonly name: string,
    readonly kubeconfigPath: string,
    /** All that the services and the API server say to each other goes through it. */
    readonly network: TcpProxy,
    private readonly fleet: SimulatedFleet,
  ) {
    this.cluster = fleet.cluster(name);
    this.#token = this.cluster.token;
  }

  static async start(name: string, folder: string): Promise<ChaosCluster> {
    const fleet = await startSimulatedFleet({ clusters: [name], deploymentReadyAfterMs: 200, bookmarkEveryMs: 5_000 });
    const { hostname: host, port } = new URL(fleet.cluster(name).url);
    const network = await startTcpProxy({ host, port: Number(port) });
    const chaosCluster = new ChaosCluster(name, join(folder, `kubeconfig-${name}`), network, fleet);
    await chaosCluster.#writeKubeconfig();
    return chaosCluster;
  }

  /** Makes the API server refuse the token of the services from now on. */
  expireToken(): void {
    this.cluster.revokeToken(this.#token);
  }

  /** Gives the services another token, as an administrator does who rotates credentials. */
  async renewToken(): Promise<void> {
    this.#token = this.cluster.issueToken();
    await this.#writeKubeconfig();
  }

  /** Stores a backup of the present state of the cluster. Only the last few backups stay. */
  backUp(): void {
    this.#backups.push({ stored: this.cluster.stored(), copy: this.cluster.snapshot() });
    if (this.#backups.length > BACKUPS_KEPT) this.#backups.shift();
  }

  /**
   * Puts the oldest backup in place of all that is stored. Those that are newer are lost with the rest. The
   * resourceVersions go on (`etcdutl --bump-revision`) or go back to those of the backup.
   */
  restore(resourceVersions: 'go on' | 'go back'): void {
    const [oldest] = this.#backups.splice(0);
    if (oldest === undefined) return;
    if (resourceVersions === 'go on') this.cluster.rollBack(oldest.stored);
    else this.cluster.restoreSnapshot(oldest.copy);
    this.backUp();
  }

  async stop(): Promise<void> {
    await this.network.stop();
    await this.fleet.stop();
  }

  async #writeKubeconfig(): Promise<void> {
    const { host } = new URL(this.cluster.url);
    const text = this.fleet
      .kubeconfig()
      .replaceAll(host, `127.0.0.1:${this.network.port}`)
      .replaceAll(this.cluster.token, this.#token);
    await writeFile(`${this.kubeconfigPath}.new`, text, { mode: 0o600 });
    await rename(`${this.kubeconfigPath}.new`, this.kubeconfigPath);
  }
}
