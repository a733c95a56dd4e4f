import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { type KubernetesObject, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { dnsLabelProblems } from '../../kernel/labels/label-syntax.js';
import { goQuote } from '../../kernel/versions/go-quote.js';

/** A phase by its name and objects; content of revisions has more of each. */
type Phase = Readonly<{ name: string; objects: readonly Readonly<{ object: KubernetesObject }>[] }>;

/**
 * Returns the problems that no rollout of the revision can fix, before any of its objects is applied:
 * metadata that only the API server or other controllers write, a duplicate object, a bad name of a phase.
 * Undefined if there are none. Words and order are boxcutter's (spec: v1-apply.md, "Revision reconcile" 4).
 */
export function validateRevision({ metadata, spec }: ClusterObjectSet, phases: readonly Phase[]): string | undefined {
  const twice = duplicateObjects(phases);
  const problems = phases.flatMap((phase) => phaseProblems(phase, twice));
  if (problems.length === 0) return undefined;
  const name = goQuote(metadata.name ?? '');
  return `revision validation error: revision ${name} (${spec.revision}): ${problems.join(', ')}`;
}

function phaseProblems({ name, objects }: Phase, twice: readonly DuplicateObject[]): readonly string[] {
  const rules = dnsLabelProblems(name);
  const problems = [
    ...(rules.length === 0 ? [] : [`phase name invalid: ${rules.join(', ')}`]),
    ...invalidObjects(objects),
    ...twice
      .filter(({ phases }) => phases.includes(name))
      .map(({ object, phases }) => `${object}: duplicate object found in phases: ${phases.join(', ')}`),
  ];
  return problems.length === 0 ? [] : [`phase ${goQuote(name)}: ${problems.join(', ')}`];
}

/**
 * Returns the objects that lack a field that all need, or have one that no manifest may have; each with its
 * fields.
 */
export const invalidObjects = (objects: Phase['objects']): readonly string[] =>
  objects.flatMap(({ object }) => {
    const fields = forbiddenFields(object);
    return fields.length === 0 ? [] : [`${titleOf(object)}: ${fields.join(', ')}`];
  });

/** An object that is in a revision more than once, and the names of its phases, sorted. */
export type DuplicateObject = Readonly<{ object: string; phases: readonly string[] }>;

/** Returns the objects that come more than once in the phases, by kind, namespace and name, in that order. */
export function duplicateObjects(phases: readonly Phase[]): readonly DuplicateObject[] {
  const places = new Map<string, string[]>();
  for (const { name, objects } of phases) {
    for (const { object } of objects) {
      const title = titleOf(object);
      places.set(title, [...(places.get(title) ?? []), name]);
    }
  }
  return [...places]
    .filter(([, names]) => names.length > 1)
    .map(([object, names]) => ({ object, phases: [...new Set(names)].sort(byCodeUnit) }))
    .sort((a, b) => byCodeUnit(a.object, b.object));
}

/** `apps/v1, Kind=Deployment lamps/lamp`: boxcutter's name of an object. */
function titleOf(object: KubernetesObject): string {
  const { group, version } = apiOf(object);
  const { namespace = '', name = '' } = object.metadata;
  return `${group}/${version}, Kind=${object.kind} ${namespace}/${name}`;
}

/** Returns group and version; both are empty if the text is no `apiVersion`. */
function apiOf({ apiVersion }: KubernetesObject): Readonly<{ group: string; version: string }> {
  return apiVersion.split('/').length > 2 ? { group: '', version: '' } : splitApiVersion(apiVersion);
}

function forbiddenFields(object: KubernetesObject): readonly string[] {
  const { uid, generation = 0, generateName, finalizers = [], ownerReferences = [], resourceVersion } = object.metadata;
  const required = { apiVersion: apiOf(object).version, kind: object.kind };
  const forbidden = {
    uid: Boolean(uid),
    generation: generation > 0,
    generateName: Boolean(generateName),
    finalizers: finalizers.length > 0,
    ownerReferences: ownerReferences.length > 0,
    resourceVersion: Boolean(resourceVersion),
  };
  return [
    ...Object.entries(required).flatMap(([field, text]) =>
      text === '' ? [`${field}: Required value: must not be empty`] : [],
    ),
    ...Object.entries(forbidden).flatMap(([field, isSet]) =>
      isSet ? [`metadata.${field}: Forbidden: must be empty`] : [],
    ),
  ];
}
