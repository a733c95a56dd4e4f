import type { LabelSelector } from '../../kernel/labels/label-selector.js';
import type { InstalledBundle } from '../revision/installed-revision.js';
import type { PackageIndex } from './package-content.js';

/** spec.source.catalog of a ClusterExtension (spec: v1-extension.md). */
export type CatalogQuery = Readonly<{
  packageName: string;
  /** A constraint of Masterminds' grammar; empty is as good as absent. */
  version?: string | undefined;
  channels?: readonly string[] | undefined;
  selector?: LabelSelector | undefined;
  /** `SelfCertified` ignores the catalog's upgrade edges; any other value follows them. */
  upgradeConstraintPolicy?: string | undefined;
}>;

/** A ClusterCatalog as resolution sees it. */
export type ExtensionCatalog = Readonly<{
  name: string;
  labels: Readonly<Record<string, string>>;
  /** Higher is preferred. */
  priority: number;
  availabilityMode: string;
  /** Packages of the catalog, or the reason why they cannot be read. */
  content: PackageIndex | Readonly<{ error: string }>;
}>;

/**
 * `follow`: the catalog's edges alone decide, as OLM does it. `manual`: no step to another major version
 * unless it is asked for (why: extensions.md "No automatic major updates").
 */
export type MajorUpdates = 'follow' | 'manual';

export type ExtensionInput = Readonly<{
  query: CatalogQuery;
  installed: InstalledBundle | undefined;
  /** All ClusterCatalogs of the cluster, in the order of the API's list. */
  catalogs: readonly ExtensionCatalog[];
  majorUpdates: MajorUpdates;
}>;

/** The label that selects every ClusterCatalog by its name. */
export const CATALOG_NAME_LABEL = 'olm.operatorframework.io/metadata.name';

export const followsEdges = ({ upgradeConstraintPolicy }: CatalogQuery): boolean =>
  upgradeConstraintPolicy !== 'SelfCertified';
