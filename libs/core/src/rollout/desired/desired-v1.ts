import { OPERATOR_ANNOTATION } from '../../cluster/marks/fleet-marks.js';
import { CLUSTER_CATALOG_API, type ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '../../kernel/api/cluster-extension.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalHash, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { CATALOG_NAME_LABEL } from '../../v1/extension/catalog-query.js';
import { PLAN_KEY, ROLLBACK_KEY } from '../../v1/revision/revision-keys.js';
import { catalogProblem } from '../placement/catalog-problem.js';
import { allowedQuery } from './allowed-versions-v1.js';
import { CATALOG_ANNOTATION, catalogImage, type DesiredPlace } from './desired-classic.js';

type CatalogSource = NonNullable<ClusterExtension['spec']['source']['catalog']>;

/** The desired objects in a cluster for a FleetOperator of OLM v1. */
export type DesiredV1 = Readonly<{
  operator: FleetOperator;
  namespace: KubernetesObject;
  /** The desired ClusterExtension, without a version. Each cluster gets the version in its turn. */
  extension: ClusterExtension;
  /** The catalog by digest. Absent if the fleet does not own the operator's catalog. */
  clusterCatalog: ClusterCatalog | undefined;
  catalogDigest: string | undefined;
  /** Objects of other owners are taken over. */
  adopts: Readonly<{ extension: boolean; clusterCatalog: boolean }>;
}>;

/** The objects, or why they are not known. */
export function desiredV1(
  operator: FleetOperator,
  place: Pick<DesiredPlace, 'catalog' | 'digest'>,
): DesiredV1 | string {
  const { metadata, spec } = operator;
  const name = catalogNameOf(operator, place);
  if (typeof name !== 'string') return name.problem;
  const catalog = spec.catalog.fleetCatalog === undefined ? undefined : clusterCatalogOf(name, place);
  if (typeof catalog === 'string') return catalog;
  const { channels, serviceAccountName, config, upgradeConstraintPolicy } = spec.v1 ?? {};
  const source: CatalogSource = {
    packageName: spec.package,
    selector: { matchLabels: { [CATALOG_NAME_LABEL]: name } },
    ...(channels === undefined ? {} : { channels }),
    ...(upgradeConstraintPolicy === undefined ? {} : { upgradeConstraintPolicy }),
  };
  return {
    operator,
    namespace: { ...KIND.Namespace, metadata: { name: spec.namespace } },
    extension: {
      ...CLUSTER_EXTENSION_API,
      metadata: {
        name: spec.package,
        annotations: { [OPERATOR_ANNOTATION]: `${metadata.namespace}/${metadata.name}` },
      },
      spec: {
        namespace: spec.namespace,
        source: { sourceType: 'Catalog', catalog: source },
        ...(serviceAccountName === undefined ? {} : { serviceAccount: { name: serviceAccountName } }),
        ...(config === undefined ? {} : { config: { configType: 'Inline', inline: config } }),
      },
    },
    clusterCatalog: catalog?.object,
    catalogDigest: catalog?.digest,
    adopts: { extension: spec.adopt, clusterCatalog: place.catalog?.spec.adopt === true },
  };
}

function catalogNameOf(
  operator: FleetOperator,
  { catalog }: Pick<DesiredPlace, 'catalog'>,
): string | Readonly<{ problem: string }> {
  const { fleetCatalog, name = '' } = operator.spec.catalog;
  if (fleetCatalog === undefined) return name;
  if (catalog === undefined)
    return { problem: `there is no FleetCatalog ${fleetCatalog} in the namespace of the FleetOperator` };
  const problem = catalogProblem(operator, catalog)?.message;
  return problem === undefined ? (catalog.spec.clusterCatalog?.name ?? '') : { problem };
}

function clusterCatalogOf(
  name: string,
  place: Pick<DesiredPlace, 'catalog' | 'digest'>,
): Readonly<{ object: ClusterCatalog; digest: string }> | string {
  const found = catalogImage(place);
  if (typeof found === 'string') return found;
  const { image, digest, catalog } = found;
  const { priority } = catalog.spec.clusterCatalog ?? {};
  const annotations = { [CATALOG_ANNOTATION]: `${catalog.metadata.namespace}/${catalog.metadata.name}` };
  const object: ClusterCatalog = {
    ...CLUSTER_CATALOG_API,
    metadata: { name, annotations },
    spec: { source: { type: 'Image', image: { ref: image } }, ...(priority === undefined ? {} : { priority }) },
  };
  return { object, digest };
}

/** The ClusterCatalog as its cluster will have it: OLM labels each with its name. */
export const asLabelled = ({ metadata, ...rest }: ClusterCatalog): ClusterCatalog => ({
  ...rest,
  metadata: { ...metadata, labels: { ...metadata.labels, [CATALOG_NAME_LABEL]: metadata.name ?? '' } },
});

/** Returns the version constraint from `versions` of the FleetOperator. */
export const versionAsked = ({ operator }: DesiredV1): string | undefined => allowedQuery(operator.spec.versions);

/**
 * Returns the ClusterExtension as it will be after the fleet has applied the desired state. `version`: the
 * requested version. Fields that the fleet does not set stay as they are.
 */
export function extensionOver(
  live: ClusterExtension | undefined,
  { extension }: Pick<DesiredV1, 'extension'>,
  version: string | undefined,
): ClusterExtension {
  const { version: _version, ...before } = live?.spec.source.catalog ?? { packageName: '' };
  const { catalog: asked, ...source } = extension.spec.source;
  const catalog = { ...before, ...asked, ...(version === undefined ? {} : { version }) } as CatalogSource;
  const { [ROLLBACK_KEY]: _back, [PLAN_KEY]: _plan, ...annotations } = live?.metadata.annotations ?? {};
  return {
    ...(live ?? extension),
    metadata: { ...(live ?? extension).metadata, annotations: { ...annotations, ...extension.metadata.annotations } },
    spec: { ...live?.spec, ...extension.spec, source: { ...live?.spec.source, ...source, catalog } },
  };
}

/**
 * Returns the object that the fleet applies in a cluster's turn, with the exact version and the reviewed
 * content.
 */
export function pinnedExtension(
  { extension }: Pick<DesiredV1, 'extension'>,
  name: string,
  version: string,
  marks: Readonly<{ [PLAN_KEY]: string } | { [ROLLBACK_KEY]: string }>,
): ClusterExtension {
  const { catalog } = extension.spec.source;
  const source = { ...extension.spec.source, catalog: { ...catalog, version } as CatalogSource };
  const annotations = { ...extension.metadata.annotations, ...marks };
  return { ...extension, metadata: { name, annotations }, spec: { ...extension.spec, source } };
}

/** Returns the name of the existing ClusterExtension for package and namespace, or of a new one. */
export function extensionNameIn(all: readonly ClusterExtension[], { extension, operator }: DesiredV1): string {
  const { package: wanted, namespace } = operator.spec;
  const found = all.find(({ spec }) => spec.source.catalog?.packageName === wanted && spec.namespace === namespace);
  return found?.metadata.name ?? extension.metadata.name ?? '';
}

/**
 * Returns the changes of a ClusterExtension's `spec`, except for its version. Fields that the fleet does not
 * set stay as they are.
 */
export function extensionChanges(
  live: ClusterExtension,
  desired: Pick<DesiredV1, 'extension'>,
): Readonly<{ kinds: readonly ChangeKind[]; lines: readonly string[] }> {
  const [before, after] = [fieldsOf(live), fieldsOf(extensionOver(live, desired, undefined))];
  const changed = Object.keys(after).filter((key) => !sameJson(before[key], after[key]));
  const kinds: ChangeKind[] = [];
  if (changed.includes('source.catalog.channels')) kinds.push('ChannelSwitch');
  if (changed.some((key) => key !== 'source.catalog.channels')) kinds.push('ConfigChange');
  const lines = changed.map((key) => `ClusterExtension spec.${key}: ${text(before[key])} → ${text(after[key])}`);
  return { kinds, lines };
}

/** Fields of `spec` by their place, those of its catalog each by itself. */
function fieldsOf({ spec }: ClusterExtension): Readonly<Record<string, unknown>> {
  const { source, ...others } = spec;
  const { catalog = {}, ...rest } = source;
  const { version: _version, ...asked } = catalog as Readonly<Record<string, unknown>>;
  const placed = (at: string, of: Readonly<Record<string, unknown>>) =>
    Object.entries(of).map(([key, value]) => [`${at}${key}`, value]);
  return Object.fromEntries([...placed('', others), ...placed('source.', rest), ...placed('source.catalog.', asked)]);
}

const text = (value: unknown): string => (value === undefined ? 'none' : canonicalJson(value));

/**
 * Returns the reason why an existing ClusterExtension may not be changed. Returns undefined if it may.
 */
export function extensionConflict(
  live: ClusterExtension | undefined,
  { adopts, extension, operator }: DesiredV1,
): string | undefined {
  if (live === undefined) return undefined;
  const { name } = live.metadata;
  const source = live.spec.source.catalog;
  if (source?.packageName !== operator.spec.package || live.spec.namespace !== operator.spec.namespace) {
    return `ClusterExtension ${name} is of package ${source?.packageName ?? 'none'} in namespace ${live.spec.namespace}`;
  }
  const [key, wanted] = [OPERATOR_ANNOTATION, extension.metadata.annotations?.[OPERATOR_ANNOTATION]];
  if (adopts.extension || live.metadata.annotations?.[key] === wanted) return undefined;
  return `ClusterExtension ${name} is not the fleet's: set adopt: true to take it over`;
}

/** Returns the reason why an existing ClusterCatalog may not be moved. Returns undefined if it may. */
export function clusterCatalogConflict(live: ClusterCatalog | undefined, desired: DesiredV1): string | undefined {
  const wanted = desired.clusterCatalog;
  if (live === undefined || wanted === undefined || desired.adopts.clusterCatalog) return undefined;
  const key = CATALOG_ANNOTATION;
  if (live.metadata.annotations?.[key] === wanted.metadata.annotations?.[key]) return undefined;
  return `ClusterCatalog ${live.metadata.name} is not the fleet's: set adopt: true in the FleetCatalog`;
}

/** Returns the hash of the desired state, without the catalog's source and the version of each cluster. */
export function v1SpecHash({ namespace, extension, clusterCatalog }: DesiredV1): string {
  const catalog = clusterCatalog && { ...clusterCatalog, spec: { ...clusterCatalog.spec, source: null } };
  return canonicalHash({ namespace, extension, catalog: catalog ?? null });
}

/**
 * Returns the name under which the preview of a ClusterExtension is observed. No ClusterExtension has such a
 * name.
 */
export const previewOfExtension = (name: string): string => `${name}~fleet`;
