/**
 * Steps of bundles. `planInstall` calls `stepsOfBundle` for each chosen bundle, and sorts the whole plan:
 *
 * ```
 * stepsOfBundle({ objects: bundle.objects, catalogSource, namespace, replaces, properties })
 *   → the steps of one bundle, in OLM's order
 * ```
 */

import type { Property } from '../../../catalog/model/catalog.js';
import type { CatalogKey } from '../../../catalog/model/package-record.js';
import {
  type ClusterServiceVersion,
  CSV_API,
  readCsv,
  writtenCsv,
} from '../../../kernel/api/cluster-service-version.js';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { FlotillaError } from '../../../kernel/errors/flotilla.error.js';
import { problemText } from '../../../kernel/go-types/decoded.js';
import { escapedGoJson } from '../../../kernel/json/go-json-text.js';
import { verdictLine } from '../../../kernel/verdict/verdict-line.js';
import { CSV_KIND, stepOf } from '../steps/install-plan-step.js';
import { rbacOf } from './bundle-rbac.js';

/** Annotation of a CSV that carries the resolver's properties into the cluster (spec: api-types.md §10). */
export const PROPERTIES_ANNOTATION = 'operatorframework.io/properties';

/** One bundle as it enters a plan. */
export type BundleInPlan = Readonly<{
  /** Every manifest in bundle order, the CSV among them. */
  objects: readonly KubernetesObject[];
  catalogSource: CatalogKey;
  /** The namespace of the Subscription, into which the CSV is installed. */
  namespace: string;
  /** The resolver's choice; overrides the CSV's own field. Empty: replaces nothing. */
  replaces: string;
  properties: readonly Property[];
}>;

/** The bundle cannot be turned into steps; OLM calls this fatal: only another bundle helps. */
export class BundleNotInstallable extends FlotillaError {
  readonly code = 'BundleNotInstallable';
  readonly retry = 'when-input-changes';
}

/** Value of {@link PROPERTIES_ANNOTATION}, byte for byte as Go writes it. */
export const propertiesAnnotation = (properties: readonly Property[]): string =>
  `{"properties":[${properties.map(propertyText).join(',')}]}`;

const propertyText = ({ type, value, written }: Property): string =>
  written === undefined ? escapedGoJson({ type, value }) : `{"type":${escapedGoJson(type)},"value":${written}}`;

const isCsv = ({ kind, apiVersion }: KubernetesObject): boolean =>
  kind === CSV_KIND || (kind === '' && apiVersion === CSV_API.apiVersion);

/** The CSV of a bundle as OLM reads it, and as OLM writes it. */
type FoundCsv =
  | Readonly<{ csv: ClusterServiceVersion; written: ClusterServiceVersion }>
  | Readonly<{ problem: string }>;

/** The CSV of a bundle, or why it cannot be turned into steps. `image`: of the bundle, for that text. */
export function csvOf(objects: readonly KubernetesObject[], image?: string): FoundCsv {
  const found = objects.find(isCsv);
  if (found === undefined) return { problem: 'bundle has no ClusterServiceVersion among its manifests' };
  const name = found.metadata.name ?? '';
  if (found.apiVersion === '') return { problem: `bundle CSV ${name} missing APIVersion` };
  if (found.kind === '') return { problem: `bundle CSV ${name} missing Kind` };
  const [read, written] = [readCsv(found), writtenCsv(found)];
  if (written.ok && read.ok) return { csv: read.value, written: written.value };
  const problems = written.ok ? (read.ok ? [] : read.problems) : written.problems;
  const from = image === undefined ? '' : ` (image ${image})`;
  return { problem: verdictLine([`bundle CSV ${name}${from} is invalid`], problemText(problems)) };
}

function csvForNamespace(csv: ClusterServiceVersion, content: BundleInPlan): ClusterServiceVersion {
  const { replaces: _bundleChoice, ...spec } = csv.spec;
  const { status: _neverInstalled, ...rest } = csv;
  return {
    ...rest,
    metadata: {
      ...csv.metadata,
      namespace: content.namespace,
      annotations: { ...csv.metadata.annotations, [PROPERTIES_ANNOTATION]: propertiesAnnotation(content.properties) },
    },
    spec: content.replaces === '' ? spec : { ...spec, replaces: content.replaces },
  };
}

/**
 * Returns the steps of one bundle: CSV, other objects in bundle order, then the objects for the CSV's
 * permissions. Throws {@link BundleNotInstallable}. Spec: install-plans.md §2.
 */
export function stepsOfBundle(content: BundleInPlan): InstallPlanStep[] {
  const found = csvOf(content.objects);
  if ('problem' in found) throw new BundleNotInstallable(found.problem);
  const csv = csvForNamespace(found.written, content);
  const { name: sourceName, namespace: sourceNamespace } = content.catalogSource;
  const origin = { resolving: csv.metadata.name ?? '', sourceName, sourceNamespace };
  const others = content.objects.filter((object) => !isCsv(object));
  return [csv, ...others, ...rbacOf(found.csv, content.namespace)].map((object) => stepOf(object, origin));
}
