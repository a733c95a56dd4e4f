import type { Catalog } from '#core/catalog/model/catalog';
import { CLUSTER_CATALOG_API, ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { CATALOG_NAME_LABEL, type ExtensionCatalog } from '#core/v1/extension/catalog-query';
import { type ExtensionExplanation, explainExtension, explanationLines } from '#core/v1/extension/explain-extension';
import {
  type DesiredExtension,
  desiredExtension,
  type ExtensionSolution,
  solutionOf,
} from '#core/v1/extension/extension-problem';
import { heldBackText } from '#core/v1/extension/major-update';
import { type FeatureGates, packageIndex } from '#core/v1/extension/package-content';
import { type ExtensionResolution, resolveExtension } from '#core/v1/extension/resolve-extension';
import { formatLegacyVersion } from '#core/v1/extension/version-release';
import type { InstalledBundle } from '#core/v1/revision/installed-revision';
import type { Manifest } from '../inputs/read-manifests.js';
import { isData } from '../output/data-format.js';
import { dataText } from '../output/data-text.js';
import type { AnswerFormat } from '../output/output-option.js';
import { verdictOf } from '../output/verdict.js';
import { UsageError } from '../terminal/io.js';
import type { CatalogOption } from './catalog-option.js';
import type { PlannedPermission, PlannedStep } from './plan-steps.js';
import { permissionText } from './print-plan.js';

/** The installed and the next bundle of a ClusterExtension, or the reason that it gets none. */
export type ExtensionPlan = Readonly<{
  extension: string;
  /** Version of status.install.bundle; absent if nothing is installed. */
  installed?: string;
  bundle?: string;
  version?: string;
  image?: string;
  catalog?: string;
  /** A version that is not taken by itself, and how to take it. */
  note?: string;
  error?: string;
  /** With --pull: the objects that the bundle would bring into a cluster. */
  objects?: readonly PlannedStep[];
  permissions?: readonly PlannedPermission[];
  /** The reason for this bundle or for none, and for no newer one. */
  explanation: ExtensionExplanation;
}>;

const isExtension = ({ object }: Manifest): boolean =>
  object.kind === CLUSTER_EXTENSION_API.kind && object.apiVersion === CLUSTER_EXTENSION_API.apiVersion;

/**
 * The next bundle of every ClusterExtension of the manifests, as the hub would choose it;
 * sorted as they are given.
 */
export function planExtensions(
  manifests: readonly Manifest[],
  options: readonly CatalogOption[],
  contents: readonly Catalog[],
  gates: FeatureGates,
): ExtensionPlan[] {
  const catalogs = options.map((option, at) => catalogOfOption(option, manifests, contents[at], gates));
  return manifests.filter(isExtension).map(({ object, where }) => {
    const plan = planExtension(object, catalogs, gates);
    if (plan !== undefined) return plan;
    throw new UsageError(`${where}: not a usable ClusterExtension; spec.namespace and spec.source.catalog are needed`);
  });
}

/** Returns the next bundle of one ClusterExtension. Returns undefined if its spec cannot be understood. */
export function planExtension(
  object: KubernetesObject,
  catalogs: readonly ExtensionCatalog[],
  gates: FeatureGates,
): ExtensionPlan | undefined {
  const { data } = ClusterExtension.safeParse(object);
  return data && resolvedPlan(data, data.status?.install?.bundle, catalogs, gates)?.plan;
}

/**
 * Plans as {@link planExtension} does, with the installed bundle, and with the problem and its solution as
 * poller and resolver keep them.
 */
export function resolvedPlan(
  extension: ClusterExtension,
  installed: InstalledBundle | undefined,
  catalogs: readonly ExtensionCatalog[],
  gates: FeatureGates,
): Readonly<{ plan: ExtensionPlan; desired: DesiredExtension; solution: ExtensionSolution }> | undefined {
  const desired = desiredExtension(extension, installed, gates);
  if (desired === undefined) return undefined;
  const { query, majorUpdates } = desired;
  const input = { query, installed, catalogs, majorUpdates };
  const resolution = resolveExtension(input);
  const plan = {
    extension: extension.metadata.name ?? '',
    ...(installed === undefined ? {} : { installed: installed.version }),
    ...planOf(resolution),
    explanation: explainExtension(input, resolution),
  };
  return { plan, desired, solution: solutionOf(resolution, gates) };
}

function planOf(resolution: ExtensionResolution): Omit<ExtensionPlan, 'extension' | 'explanation'> {
  if (resolution.class !== 'Resolved') return { error: resolution.error };
  const { name: bundle, version, image, catalog, heldBack } = resolution;
  const note = heldBack === undefined ? {} : { note: heldBackText(heldBack) };
  return { bundle, version: formatLegacyVersion(version), image, catalog, ...note };
}

/**
 * Returns the catalog of the option. Its labels come from the ClusterCatalog of that name, as does its
 * priority if the option has none.
 */
function catalogOfOption(
  { name, priority }: CatalogOption,
  manifests: readonly Manifest[],
  content: Catalog | undefined,
  gates: FeatureGates,
): ExtensionCatalog {
  const found = manifests.find(
    ({ object }) => object.kind === CLUSTER_CATALOG_API.kind && object.metadata.name === name,
  );
  const read = found && extensionCatalog(found.object, content, gates);
  const labels = { ...read?.labels, [CATALOG_NAME_LABEL]: name };
  const { availabilityMode = 'Available', content: known = contentOf(name, content, gates) } = read ?? {};
  return { name, labels, priority: priority ?? read?.priority ?? 0, availabilityMode, content: known };
}

/** Returns a ClusterCatalog as resolution sees it. Returns undefined if the object is none. */
export function extensionCatalog(
  object: KubernetesObject,
  content: Catalog | Readonly<{ unread: string }> | undefined,
  gates: FeatureGates,
): ExtensionCatalog | undefined {
  const catalog = ClusterCatalog.safeParse(object).data;
  if (catalog === undefined) return undefined;
  const { name = '', labels } = catalog.metadata;
  return {
    name,
    labels: { ...labels, [CATALOG_NAME_LABEL]: name },
    priority: catalog.spec.priority ?? 0,
    availabilityMode: catalog.spec.availabilityMode ?? 'Available',
    content: contentOf(name, content, gates),
  };
}

function contentOf(
  name: string,
  content: Catalog | Readonly<{ unread: string }> | undefined,
  gates: FeatureGates,
): ExtensionCatalog['content'] {
  if (content === undefined) return { error: `catalog "${name}" is not being served` };
  return 'unread' in content ? { error: content.unread } : packageIndex(content, gates);
}

/** True if every extension gets, or has, its requested version. */
export const canAllBeMet = (plans: readonly ExtensionPlan[]): boolean =>
  plans.every(({ error }) => error === undefined);

/** The plans as they are shown. */
export function printExtensionPlans(plans: readonly ExtensionPlan[], format: AnswerFormat): string {
  if (isData(format)) return dataText({ verdict: verdictOf(canAllBeMet(plans)), items: plans }, format);
  return plans.map((plan) => `${sentenceOf(plan)}\n`).join('');
}

/** The words of plan and explain for an extension's next step with its chosen bundle. */
export const STATE_VERBS: Readonly<Record<ExtensionExplanation['state'], string>> = {
  installs: 'installs',
  upgrades: 'goes to',
  settled: 'stays at',
  'cannot-be-met': '',
};

function sentenceOf({
  extension,
  installed,
  bundle,
  version,
  image,
  catalog,
  error,
  objects = [],
  permissions = [],
  explanation,
}: ExtensionPlan): string {
  const has = installed === undefined ? '' : ` (installed: ${installed})`;
  const lines = explanationLines(explanation).filter((line) => line !== error);
  const more = lines.map((line) => `\n  ${line}`).join('');
  if (error !== undefined) return `${extension}${has}: nothing: ${error}${more}`;
  const verb = STATE_VERBS[explanation.state];
  const brings = [
    ...objects.map(({ kind, name, namespace }) => `  ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`),
    ...permissions.flatMap(permissionText).map((line) => `  ${line}`),
  ];
  const content = brings.map((line) => `\n  ${line}`).join('');
  return `${extension}${has}: ${verb} ${bundle} ${version} from catalog ${catalog}\n  image ${image}${more}${content}`;
}
