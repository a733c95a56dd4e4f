import type { KubernetesObject } from '../api/kubernetes-object.js';
import type { Property } from '../catalog/catalog.js';

/**
 * A registry+v1 bundle: what one version of an operator brings into a cluster. `objects` keep the bundle's order; the
 * first ClusterServiceVersion among them is `csv` (spec: file-based-catalogs.md §5.1).
 */
export type Bundle = Readonly<{
  csv: KubernetesObject;
  /** Every manifest, the CSV included, in bundle order. */
  objects: readonly KubernetesObject[];
  annotations: Readonly<Record<string, string>>;
  dependencies: readonly Property[];
  properties: readonly Property[];
  /** What was passed over while reading (undecodable files and the like), one sentence each. */
  warnings: readonly string[];
}>;

/** A file of a bundle or catalog directory. `path` is relative, with `/`, without `..`. */
export type BundleFile = Readonly<{ path: string; bytes: Uint8Array }>;
