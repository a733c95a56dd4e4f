import { z } from 'zod';
import type { EntryRecord } from '../../../catalog/model/package-record.js';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { CSV_KIND } from '../steps/install-plan-step.js';
import { propertiesAnnotation, stepsOfBundle } from './bundle-steps.js';

/**
 * The place from which the manifests of a bundle can be fetched again, byte for byte: an image by digest, or
 * the digest of inline content.
 */
export type BundleSource = EntryRecord['source'];

/**
 * Replaces the `manifest` of a step if the object would make the plan too large. Shape and field names are
 * those of OLM's references for unpacked bundles (spec: install-plans.md §2). There `kind` is ConfigMap, and
 * `name` a ConfigMap of the cluster. Here `name` is an image by digest (BundleImage), or the digest of
 * manifests that the catalog brings itself (BundleContent).
 */
const BundleReference = z.object({
  kind: z.enum(['BundleImage', 'BundleContent']),
  name: z.string().min(1),
  catalogSourceName: z.string(),
  catalogSourceNamespace: z.string(),
  /** Only in the step of the CSV: facts that its manifest does not contain. */
  replaces: z.string().optional(),
  properties: z.string().optional(),
});
export type BundleReference = z.infer<typeof BundleReference>;

/** One bundle of a plan: the content of a reference to it, in addition to its location. */
type ReferencedBundle = Readonly<{
  source: BundleSource;
  catalogSource: Readonly<{ name: string; namespace: string }>;
  replaces: string;
  properties: Parameters<typeof propertiesAnnotation>[0];
}>;

/** The step with a reference in place of its manifest. */
export function byReference(step: InstallPlanStep, bundle: ReferencedBundle): InstallPlanStep {
  const { source, catalogSource, replaces, properties } = bundle;
  const where = 'image' in source ? { kind: 'BundleImage', name: source.image } : contentRef(source.inline);
  const ofCsv =
    step.resource.kind === CSV_KIND ? { replaces, properties: propertiesAnnotation(properties) } : undefined;
  const { name: catalogSourceName, namespace: catalogSourceNamespace } = catalogSource;
  const manifest = canonicalJson({ ...where, catalogSourceName, catalogSourceNamespace, ...ofCsv });
  return { ...step, resource: { ...step.resource, manifest } };
}

const contentRef = (digest: string) => ({ kind: 'BundleContent', name: digest });

/** Returns the reference in a step's manifest. Undefined if the manifest is the object itself. */
export function referenceOf({ resource }: InstallPlanStep): BundleReference | undefined {
  const text = resource.manifest ?? '';
  // A manifest always has metadata. Searching for the kinds first avoids parsing megabytes.
  if (!text.includes('"BundleImage"') && !text.includes('"BundleContent"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || 'metadata' in value) return undefined;
    return BundleReference.safeParse(value).data;
  } catch {
    return undefined;
  }
}

/** Returns the location of the manifests that a reference names. */
export const sourceOf = ({ kind, name }: BundleReference): BundleSource =>
  kind === 'BundleImage' ? { image: name } : { inline: name };

const Properties = z.object({ properties: z.array(z.object({ type: z.string(), value: z.unknown() })) });

function propertiesOf(properties: string | undefined): ReferencedBundle['properties'] {
  try {
    return Properties.safeParse(JSON.parse(properties ?? '')).data?.properties ?? [];
  } catch {
    return [];
  }
}

const isSameStep = (a: InstallPlanStep, b: InstallPlanStep): boolean =>
  (['name', 'kind', 'version', 'group'] as const).every((field) => a.resource[field] === b.resource[field]);

/** Returns all steps of the bundle that a reference names. Throws BundleNotInstallable. */
export function referredSteps(
  { catalogSourceName: name, catalogSourceNamespace, replaces = '', ...reference }: BundleReference,
  content: Readonly<{ objects: readonly KubernetesObject[]; namespace: string }>,
): InstallPlanStep[] {
  const catalogSource = { name, namespace: catalogSourceNamespace };
  return stepsOfBundle({ ...content, catalogSource, replaces, properties: propertiesOf(reference.properties) });
}

/**
 * The step with its manifest, found among the bundle's steps by name, kind, version and group, as OLM does;
 * or the error that fails the plan. Spec: install-plans.md §2.
 */
export function dereferenced(
  step: InstallPlanStep,
  reference: BundleReference,
  ofBundle: readonly InstallPlanStep[],
): Readonly<{ step: InstallPlanStep }> | Readonly<{ fail: string }> {
  const found = ofBundle.find((candidate) => isSameStep(candidate, step));
  const { kind, name } = step.resource;
  if (found === undefined) return { fail: `couldn't find unpacked step for ${kind} ${name} in ${reference.name}` };
  return { step: { ...step, resource: { ...step.resource, manifest: found.resource.manifest } } };
}
