import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { DesiredNamespace, DesiredSubscription, InstalledCsv, ObservedNamespace } from './resolution-problem.js';

/**
 * Annotation of an OperatorGroup, ours: `"true"` keeps a Subscription that cannot be satisfied
 * from stopping the others.
 */
export const ISOLATION_ANNOTATION = 'flotilla.dev/resolution-isolation';
export const EXCLUDE_GLOBAL = 'olm.operatorframework.io/exclude-global-namespace-resolution';
/** Annotation of a CSV with the properties of the bundle it was installed from. */
export const PROPERTIES_ANNOTATION = 'operatorframework.io/properties';
/** OperatorGroup upgradeStrategy under which a failed upgrade does not hinder the next one. */
export const FAIL_FORWARD = 'TechPreviewUnsafeFailForward';

/**
 * Reduces the namespace's objects to the input of resolution, in canonical form. Fields without influence on
 * the answer are left out, so that their changes ask no new question (spec: classic-resolution.md §1, §3).
 */
export function desiredNamespaceOf(observed: ObservedNamespace): DesiredNamespace {
  const operatorGroups = observed.operatorGroups
    .map(({ metadata, spec }) => ({
      name: metadata.name ?? '',
      upgradeStrategy: spec?.upgradeStrategy ?? '',
      excludeGlobal: excludesGlobal({ metadata }),
      ...(metadata.annotations?.[ISOLATION_ANNOTATION] === 'true' ? { isolate: true as const } : {}),
    }))
    .sort(byName);
  const failForward = operatorGroups.some(({ upgradeStrategy }) => upgradeStrategy === FAIL_FORWARD);
  return {
    namespace: observed.namespace,
    globalCatalogNamespace: observed.globalCatalogNamespace,
    operatorGroups,
    subscriptions: observed.subscriptions.map(desiredSubscription).sort(byName),
    csvs: observed.csvs
      .filter((csv) => !isCopied(csv, observed.namespace))
      .map((csv) => installedCsv(csv, failForward))
      .sort(byName),
  };
}

/**
 * True if an OperatorGroup keeps the global catalogs out of its namespace (spec: operator-groups.md,
 * annotations).
 */
export const excludesGlobal = ({ metadata }: Pick<OperatorGroup, 'metadata'>): boolean =>
  metadata.annotations?.[EXCLUDE_GLOBAL] === 'true';

const byName = (a: Readonly<{ name: string }>, b: Readonly<{ name: string }>): number => byCodeUnit(a.name, b.name);

const desiredSubscription = ({ metadata, spec, status }: Subscription): DesiredSubscription => ({
  name: metadata.name ?? '',
  package: spec.name,
  channel: spec.channel ?? '',
  startingCSV: spec.startingCSV ?? '',
  source: spec.source,
  sourceNamespace: spec.sourceNamespace,
  installedCSV: status?.installedCSV ?? '',
  currentCSV: status?.currentCSV ?? '',
});

/** Copies of another namespace's CSV take no part in resolution (spec: classic-resolution.md §3). */
function isCopied({ metadata, status }: ClusterServiceVersion, namespace: string): boolean {
  const operatorNamespace = metadata.annotations?.['olm.operatorNamespace'];
  return (
    status?.reason === 'Copied' ||
    metadata.labels?.['olm.copiedFrom'] !== undefined ||
    (operatorNamespace !== undefined && operatorNamespace !== namespace)
  );
}

/**
 * Phase and replaces matter to fail forward alone; the APIs of the spec only to a CSV
 * without properties annotation.
 */
function installedCsv({ metadata, spec, status }: ClusterServiceVersion, failForward: boolean): InstalledCsv {
  const annotation = metadata.annotations?.[PROPERTIES_ANNOTATION];
  const common = {
    name: metadata.name ?? '',
    version: spec.version ?? '',
    replaces: failForward ? (spec.replaces ?? '') : '',
    phase: failForward ? (status?.phase ?? '') : '',
  };
  if (annotation !== undefined) {
    return { ...common, propertiesAnnotation: annotation, ownedApis: [], requiredApis: [] };
  }
  return { ...common, ownedApis: apisOf(spec, 'owned'), requiredApis: apisOf(spec, 'required') };
}

type Api = InstalledCsv['ownedApis'][number];

/**
 * APIs as the spec names them; a CRD is `plural.group`, and one without group stays
 * for the resolver to refuse.
 */
function apisOf(spec: ClusterServiceVersion['spec'], which: 'owned' | 'required'): Api[] {
  const crds = (spec.customresourcedefinitions?.[which] ?? []).map(({ name, version, kind }) => {
    const dot = name.indexOf('.');
    return { name, group: dot < 0 ? '' : name.slice(dot + 1), version, kind };
  });
  const services = (spec.apiservicedefinitions?.[which] ?? []).map(({ name, group, version, kind }) => ({
    // An APIService is named by its plural alone; the group makes the name as full as a CRD's.
    name: `${name}.${group}`,
    group,
    version,
    kind,
  }));
  return [...crds, ...services].sort(
    (a, b) => byName(a, b) || byCodeUnit(a.version, b.version) || byCodeUnit(a.kind, b.kind),
  );
}
