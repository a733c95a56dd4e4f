import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { parseTolerant } from '#core/kernel/versions/blang-version';
import { formatVersion } from '#core/kernel/versions/version';
import type { Metrics } from '#platform/telemetry/metrics/metrics';

type Event = 'changed' | 'gone';
const FAILED = 'ResolutionFailed';

/** Feeds OLM's per-object series from the watches of one cluster (spec: metrics.md §1). */
export class ObjectMetrics {
  readonly #upgrading = new Set<string>();

  constructor(
    private readonly metrics: Metrics,
    private readonly cluster: string,
  ) {}

  note(object: KubernetesObject, event: Event): void {
    if (object.kind === 'ClusterServiceVersion') this.#csv(object as ClusterServiceVersion, event);
    if (object.kind === 'Subscription') this.#subscription(object as Subscription, event);
    if (object.kind === 'CatalogSource') this.#catalog(object as CatalogSource, event);
  }

  #csv(csv: ClusterServiceVersion, event: Event): void {
    if (isCopied(csv)) return;
    const { namespace = '', name = '' } = csv.metadata;
    const { phase = '', reason = '' } = csv.status ?? {};
    const key = `${namespace}/${name}`;
    if (event === 'gone') {
      this.metrics.csvGone(this.cluster, namespace, name);
      this.#upgrading.delete(key);
      return;
    }
    this.metrics.csv(this.cluster, { namespace, name, version: versionOf(csv), phase, reason });
    if (phase === 'Replacing' && !this.#upgrading.has(key)) this.metrics.csvUpgradeBegun(this.cluster);
    if (phase === 'Replacing') this.#upgrading.add(key);
  }

  #subscription({ metadata, spec, status }: Subscription, event: Event): void {
    const { namespace = '', name = '' } = metadata;
    if (event === 'gone') {
      this.metrics.subscriptionGone(this.cluster, namespace, name);
      this.metrics.troubles.unresolved(this.cluster, `${namespace}/${name}`, undefined);
      return;
    }
    const failed = status?.conditions?.find(({ type, status: holds }) => type === FAILED && holds === 'True');
    const reason = failed && (failed.reason ?? '');
    this.metrics.troubles.unresolved(this.cluster, `${namespace}/${name}`, reason);
    this.metrics.subscriptionSynced(this.cluster, {
      namespace,
      name,
      installed: status?.installedCSV ?? '',
      channel: spec.channel ?? '',
      package: spec.name,
      approval: spec.installPlanApproval ?? '',
    });
  }

  #catalog({ metadata, status }: CatalogSource, event: Event): void {
    const { namespace = '', name = '' } = metadata;
    if (event === 'gone') this.metrics.catalogGone(this.cluster, namespace, name);
    else if (status?.connectionState !== undefined || status?.reason === 'SpecInvalidError') {
      // Before its first state a catalog is neither ready nor not, as in OLM.
      const ready = status?.reason !== 'SpecInvalidError' && status?.connectionState?.lastObservedState === 'READY';
      this.metrics.catalogReady(this.cluster, namespace, name, ready);
    }
  }
}

/** Returns the version as OLM normalises it; `0.0.0` when the CSV has none. */
function versionOf({ spec }: ClusterServiceVersion): string {
  const parsed = parseTolerant(spec.version ?? '');
  return 'error' in parsed ? '0.0.0' : formatVersion(parsed);
}
