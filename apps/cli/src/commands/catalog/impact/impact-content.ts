import { readInlineManifests } from '#core/catalog/bundle/inline-manifests';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import type { Catalog, CatalogBundle } from '#core/catalog/model/catalog';
import { BundleNotInstallable, stepsOfBundle } from '#core/classic/install-plan/creation/bundle-steps';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { CHANGES, type ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { verdictLine } from '#core/kernel/verdict/verdict-line';
import { contentChanges } from '#core/rollout/review/content-changes';
import { versionChange } from '#core/rollout/review/plan-changes';
import { planContent } from '#core/rollout/review/plan-content';
import { stepsBesideCluster } from '#lifecycle/rollouts/orders/review/steps-beside-cluster';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { pullBundleFiles } from '../../../inputs/load-from-registry.js';

/** The changes of an upgrade to a cluster that has the version before it. */
export type ImpactContent = Readonly<{
  /** Kinds of change, as rules of approval name them. */
  changes: readonly ChangeKind[];
  rights: Readonly<{ added: readonly string[]; removed: readonly string[] }>;
  crds: FleetPlan['spec']['crds'];
  webhooks: readonly string[];
  /** The texts with which the catalog deprecates the bundle. */
  deprecations: readonly string[];
  /** The cause if rights, CRDs and webhooks are not known; empty if they are. */
  unread: string;
}>;

/** An upgrade of one Subscription. */
type Upgrade = Readonly<{
  namespace: string;
  package: string;
  subscription: string;
  from: string;
  to: string;
  deprecations: readonly string[];
}>;

/**
 * The content of upgrades. Equal upgrades are compared once, in the first cluster that has the old version.
 * The newest bundle is compared with the installed one, without the versions between them.
 */
export class ImpactContents {
  readonly #bundles: ReadonlyMap<string, CatalogBundle>;
  readonly #found = new Map<string, Promise<ImpactContent>>();

  constructor(catalog: Catalog) {
    this.#bundles = new Map(catalog.bundles.map((bundle) => [keyOf(bundle.package, bundle.name), bundle]));
  }

  of(client: KubeClient, upgrade: Upgrade): Promise<ImpactContent> {
    const key = JSON.stringify([upgrade.package, upgrade.from, upgrade.to, upgrade.deprecations]);
    const known = this.#found.get(key) ?? this.#read(client, upgrade);
    this.#found.set(key, known);
    return known;
  }

  async #read(client: KubeClient, upgrade: Upgrade): Promise<ImpactContent> {
    const { from, to, deprecations } = upgrade;
    const known: ChangeKind[] = [versionChange(from === '' ? null : from, to)];
    if (deprecations.length > 0) known.push('Deprecated');
    try {
      return await this.#compared(client, upgrade, known);
    } catch (error) {
      const unknown = { rights: { added: [], removed: [] }, crds: [], webhooks: [], deprecations };
      return { ...unknown, changes: known, unread: error instanceof Error ? error.message : String(error) };
    }
  }

  async #compared(client: KubeClient, upgrade: Upgrade, known: readonly ChangeKind[]): Promise<ImpactContent> {
    const { namespace, subscription, from, to, deprecations } = upgrade;
    const bundle = this.#bundles.get(keyOf(upgrade.package, to));
    const steps = stepsOfBundle({
      objects: await manifestsOf(bundle),
      catalogSource: { namespace, name: '' },
      ...{ namespace, replaces: from, properties: [] },
    });
    const moves = [{ subscription, from: from === '' ? null : from, to }];
    const beside = await stepsBesideCluster(client, steps, { namespace, moves });
    const found = new Set([...known, ...contentChanges(beside, from === '')]);
    const changes = CHANGES.filter((kind) => found.has(kind));
    const plan = { hash: '', hopHash: '', subscription, from: from === '' ? undefined : from, to, changes, moves };
    const { rbac, crds, webhooks } = planContent({ ...plan, bundles: [], steps: beside });
    const rights = { added: rbac?.added ?? [], removed: rbac?.removed ?? [] };
    return { changes, rights, crds, webhooks, deprecations, unread: '' };
  }
}

const keyOf = (wanted: string, name: string): string => `${wanted}/${name}`;

/** Returns the manifests of a bundle: those of the catalog, otherwise those of its image. */
async function manifestsOf(bundle: CatalogBundle | undefined): Promise<readonly KubernetesObject[]> {
  if (bundle === undefined) return [];
  if (bundle.objects.length > 0) {
    const read = readInlineManifests(bundle.objects);
    if ('problem' in read) throw new BundleNotInstallable(verdictLine([`bundle ${bundle.name}`], read.problem));
    return read.objects;
  }
  return readBundle(await pullBundleFiles(bundle.image)).objects;
}
