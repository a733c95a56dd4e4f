import { recordAt, textAt } from '../../kernel/json/json-access.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import { parseRange } from '../../kernel/versions/blang-range.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Property } from '../model/catalog.js';
import { parseProperties } from '../validate/bundle-properties.js';
import type { Bundle } from './bundle.js';
import { catalogBundleOf } from './bundle-blob.js';
import { objectProblems } from './object-problems.js';
import { BUNDLE_ANNOTATION } from './read-metadata.js';
import { TYPED_ITEM_FORM, untypedItems } from './untyped-items.js';

/** Kinds that OLM installs from a bundle (spec: file-based-catalogs.md §5.1). */
export const BUNDLE_KINDS: ReadonlySet<string> = new Set([
  ...['ClusterServiceVersion', 'CustomResourceDefinition', 'Secret', 'ClusterRole', 'ClusterRoleBinding', 'ConfigMap'],
  ...['ServiceAccount', 'Service', 'Role', 'RoleBinding', 'PrometheusRule', 'ServiceMonitor', 'PodMonitor'],
  ...['PodDisruptionBudget', 'PriorityClass', 'VerticalPodAutoscaler', 'ConsoleYAMLSample', 'ConsoleQuickStart'],
  ...['ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin', 'NetworkPolicy'],
]);

/** The API of CRDs before Kubernetes 1.16. */
export const OLD_CRD_API = 'apiextensions.k8s.io/v1beta1';
/** The reason to refuse a CRD of the old API. */
export const OLD_CRD_TEXT = `CustomResourceDefinitions of ${OLD_CRD_API} are not served by any cluster since Kubernetes 1.22; write v1, with a schema for each version`;

/**
 * Returns the problems of a readable bundle, one sentence each, in the words of opm if it has some. Parts
 * skipped while reading come first, since they would be missing in the cluster. Empty when the bundle is
 * good.
 */
export function validateBundle(bundle: Bundle): string[] {
  return [
    ...bundle.warnings,
    ...bundle.refusals,
    ...(bundle.metadataRefusals ?? []),
    ...annotationProblems(bundle),
    ...csvProblems(bundle),
    ...objectProblems(bundle),
    ...bundle.objects.flatMap(({ apiVersion, kind, metadata }) =>
      kind === 'CustomResourceDefinition' && apiVersion === OLD_CRD_API
        ? [verdictLine([metadata.name ?? ''], OLD_CRD_TEXT)]
        : [],
    ),
    ...bundle.objects.flatMap(({ kind, metadata }) =>
      BUNDLE_KINDS.has(kind) ? [] : [`${metadata.name ?? ''}: ${kind} is not supported type for registryV1 bundle`],
    ),
    ...objectsTwice(bundle),
    ...untypedItems(bundle).map((where) => `${where} has no type: ${TYPED_ITEM_FORM}`),
    ...bundle.dependencies.flatMap((dependency, index) => {
      if (dependency.type === '') return [];
      const where = `dependencies[${index}] (${dependency.type})`;
      if (bundle.metadataRefusals?.some((line) => line.includes(where))) return [];
      return dependencyProblems(dependency).map((problem) => `${where}: ${problem}`);
    }),
    ...propertyProblems(bundle),
  ];
}

/**
 * Finds objects that come more than once, in any namespace: an install puts all of them into one. OLM v1
 * refuses the revision, and OLM writes one over the other (spec: v1-apply.md, "Revision reconcile" 4).
 */
function objectsTwice({ objects }: Bundle): string[] {
  const titles = objects.map(({ apiVersion, kind, metadata }) => `${metadata.name ?? ''}: ${kind} of ${apiVersion}`);
  const twice = new Set(titles.filter((title, index) => titles.indexOf(title) !== index));
  return [...twice].map((title) => `${title} is in manifests/ more than once; OLM v1 refuses such a bundle: keep one`);
}

function annotationProblems({ annotations }: Bundle): string[] {
  const mediatype = annotations[BUNDLE_ANNOTATION.mediatype];
  const missing = [BUNDLE_ANNOTATION.package, BUNDLE_ANNOTATION.channels].filter((key) => !annotations[key]);
  return [
    ...(mediatype === undefined || mediatype === 'registry+v1'
      ? []
      : [`annotation ${BUNDLE_ANNOTATION.mediatype} is ${goQuote(mediatype)}; registry+v1 is expected`]),
    ...missing.map((key) => `annotation ${key} is missing or empty`),
  ];
}

function csvProblems({ csv }: Bundle): string[] {
  const problems: string[] = [];
  const written = recordAt(csv, 'spec')['version'] ?? '';
  const text = typeof written === 'string' ? written : undefined;
  const version = parseVersion(text ?? '');
  // The decoder of the CSV refuses a number and the like itself.
  if ('error' in version && text !== undefined) {
    problems.push(`ClusterServiceVersion: spec.version ${goQuote(text)} is not a semantic version: ${version.error}`);
  }
  const strategy = textAt(csv, 'spec', 'install', 'strategy');
  if (strategy !== 'deployment') {
    problems.push(`ClusterServiceVersion: spec.install.strategy is ${goQuote(strategy)}; only "deployment" is known`);
  }
  return problems;
}

function dependencyProblems({ type, value }: Property): string[] {
  const missing = (name: string, message: string) => (textAt(value, name) === '' ? [message] : []);
  switch (type) {
    case 'olm.gvk':
      return [
        ...missing('group', 'API Group is empty'),
        ...missing('version', 'API Version is empty'),
        ...missing('kind', 'API Kind is empty'),
      ];
    case 'olm.package':
      return packageDependencyProblems(value);
    case 'olm.label':
      return missing('label', 'Label information is missing');
    case 'olm.constraint':
      return constraintProblems(value);
    default:
      return [`unsupported dependency type ${type}`];
  }
}

function packageDependencyProblems(value: unknown): string[] {
  const range = textAt(value, 'version');
  const name = textAt(value, 'packageName') === '' ? ['Package name is empty'] : [];
  if (range === '') return [...name, 'Package version is empty'];
  const parsed = parseRange(range);
  return 'error' in parsed ? [...name, `Invalid semver format version: ${parsed.error}`] : name;
}

/** Checks a constraint. opm itself knows only `cel` here; compound constraints are OLM's and pass. */
function constraintProblems(value: unknown): string[] {
  const constraint = recordAt(value);
  if (['all', 'any', 'not', 'gvk', 'package'].some((key) => key in constraint)) return [];
  if (!('cel' in constraint)) return ['The CEL field is missing'];
  return textAt(constraint, 'cel', 'rule') === '' ? ['The CEL expression is missing'] : [];
}

function propertyProblems(bundle: Bundle): string[] {
  if (untypedItems(bundle).length > 0 || (bundle.metadataRefusals ?? []).length > 0) return [];
  const parsed = parseProperties(catalogBundleOf(bundle, '').properties);
  return 'error' in parsed ? [parsed.error] : [];
}
