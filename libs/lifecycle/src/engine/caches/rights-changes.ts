import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { namespacesWaitingForRights } from '#core/cluster/observation/waiting-for-rights';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { managedRights } from '#core/kernel/rbac/rights-changed';
import type { Clock } from '#platform/clock/clock.port';
import type { ClusterCache } from '#platform/kube/cache/cluster-cache';

type RightsChangesOptions = Readonly<{
  clock: Clock;
  csvs: Pick<ClusterCache, 'list'>;
  /** Called for a namespace with an operator that may have got or lost rights that it requires. */
  onAffected: (namespace: string) => void;
}>;

/** A user grants rights with several objects; the operators that wait are read once for all of them. */
const GATHER_MS = 250;
const RIGHTS: ReadonlySet<string> = new Set([
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);

/**
 * Changes of rights that users make with RBAC objects of their own. The poller reports objects with the label
 * `olm.managed`; others concern only operators with open requirements, so they are compared with the
 * ClusterServiceVersions here.
 */
export class RightsChanges {
  readonly #namespaces = new Set<string>();
  #everywhere = false;
  #cancel: (() => void) | undefined;

  constructor(private readonly options: RightsChangesOptions) {}

  note(kind: string, metadata: KubernetesObject['metadata']): void {
    if (!RIGHTS.has(kind) || managedRights([{ apiVersion: '', kind, metadata }]).length > 0) return;
    if (metadata.namespace === undefined) this.#everywhere = true;
    else this.#namespaces.add(metadata.namespace);
    this.#cancel ??= this.options.clock.after(GATHER_MS, () => this.#report());
  }

  stop(): void {
    this.#cancel?.();
  }

  #report(): void {
    this.#cancel = undefined;
    const namespaces = this.#everywhere ? [undefined] : [...this.#namespaces];
    this.#everywhere = false;
    this.#namespaces.clear();
    const csvs = namespaces.flatMap((namespace) => this.#csvs(namespace));
    for (const waiting of namespacesWaitingForRights(csvs)) this.options.onAffected(waiting);
  }

  /** Returns none if the cache does not follow the cluster: the next resync checks every operator. */
  #csvs(namespace: string | undefined): readonly ClusterServiceVersion[] {
    const within = namespace === undefined ? {} : { namespace };
    const found = this.options.csvs.list(CSV_API, { ...within, labelSelector: `!${COPIED_FROM_LABEL}` });
    return (found ?? []) as readonly ClusterServiceVersion[];
  }
}
