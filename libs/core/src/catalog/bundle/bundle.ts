import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { Property } from '../model/catalog.js';

/**
 * A registry+v1 bundle: the objects that one version of an operator brings into a cluster. `objects` keep the
 * bundle's order; the first ClusterServiceVersion among them is `csv` (spec: file-based-catalogs.md §5.1).
 */
export type Bundle = Readonly<{
  csv: KubernetesObject;
  /** Every manifest, the CSV included, in bundle order. */
  objects: readonly KubernetesObject[];
  /** The file of each object, if it came from one. */
  paths?: ReadonlyMap<KubernetesObject, string>;
  /** The same as they are written, null and values of the wrong type included: opm renders them so. */
  manifests: readonly Readonly<Record<string, unknown>>[];
  annotations: Readonly<Record<string, string>>;
  dependencies: readonly Property[];
  properties: readonly Property[];
  /** Parts skipped while reading (undecodable files and the like), one sentence each. */
  warnings: readonly string[];
  /**
   * Metadata that no API server takes, one line an object. opm carries it along; `objects` are without it,
   * and nothing of such a bundle is installed.
   */
  refusals: readonly string[];
  /**
   * Dependencies and properties with values that opm refuses, one line each. opm renders no part of such a
   * bundle.
   */
  metadataRefusals?: readonly string[];
}>;
