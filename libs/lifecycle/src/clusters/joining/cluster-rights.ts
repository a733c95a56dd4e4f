import { rightLines } from '#core/cluster/membership/role-rights';
import type { Clock } from '#platform/clock/clock.port';
import { applierRole } from '#platform/joining/applier-role';
import { unlistedRights } from '#platform/joining/missing-rights';
import { type HubRole, shippedRights } from '#platform/joining/shipped-rights';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

/**
 * Pauses before a login is asked again: one with all rights, and one that is missing some or gave no answer.
 */
const AGAIN_MS = 30 * 60_000;
const LACKING_AGAIN_MS = 60_000;

const missingForApplier = async (client: KubeClient) => (await applierRole(client)).missing;
const missingFor = async (client: KubeClient, role: HubRole) => unlistedRights(client, await shippedRights(role));

type Asked = Readonly<{ client: KubeClient; lacks: readonly string[] | undefined; atMs: number }>;

/**
 * Rights that the login of a service is missing in each cluster, compared with the role that is shipped for
 * it.
 */
export class ClusterRights {
  readonly #asked = new Map<string, Asked>();

  constructor(private readonly options: Readonly<{ role: HubRole; clock: Clock; log: Log }>) {}

  /** Returns lines, none if all is granted. Undefined if the API server does not say it. */
  async lackedBy(client: KubeClient): Promise<readonly string[] | undefined> {
    const { role, clock, log } = this.options;
    const { cluster } = client;
    const nowMs = clock.now().getTime();
    const known = this.#asked.get(cluster);
    const againMs = known?.lacks?.length === 0 ? AGAIN_MS : LACKING_AGAIN_MS;
    if (known !== undefined && known.client === client && nowMs - known.atMs < againMs) return known.lacks;
    const lacks = await (role === 'apply' ? missingForApplier(client) : missingFor(client, role)).then(
      rightLines,
      (error: unknown) => {
        log.debug({ cluster, error }, 'could not check the RBAC permissions of the login');
        return undefined;
      },
    );
    this.#asked.set(cluster, { client, lacks, atMs: nowMs });
    return lacks;
  }

  /** Forgets the answer of a cluster: another login needs another answer. */
  forget(cluster: string): void {
    this.#asked.delete(cluster);
  }
}
