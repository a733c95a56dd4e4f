import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { HOLDS, type UnreadableObject } from '../../kernel/api/fleet/unreadable-object.js';
import { selectorProblem } from './select-clusters.js';
import type { SubjectProblem } from './subject-problem.js';

/** The problem of a subject with a selector that cannot be read. */
export const invalidSelector = (field: string, problem: string): SubjectProblem => ({
  reason: 'SelectorInvalid',
  message: `${field} selects no cluster: ${problem}`,
});

/**
 * Returns the reason that holds the rollouts of a subject, if it depends on an object that cannot be read.
 */
export const heldByUnreadable = ({ kind, object: { metadata }, problem }: UnreadableObject): SubjectProblem => ({
  reason: `${kind.replace('Fleet', '')}Unreadable`,
  message: `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}: ${problem}; ${HOLDS}`,
});

/** The keys of the objects that a FleetOperator or FleetCatalog depends on. */
function namedIn(subject: FleetOperator | FleetCatalog): string[] {
  const { namespace } = subject.metadata;
  const keys: string[] = [];
  if (subject.kind === 'FleetOperator' && subject.spec.catalog.fleetCatalog !== undefined) {
    keys.push(`FleetCatalog/${namespace}/${subject.spec.catalog.fleetCatalog}`);
  }
  if (subject.spec.strategyRef !== undefined) keys.push(`FleetStrategy/${namespace}/${subject.spec.strategyRef.name}`);
  return keys;
}

/** The first selector of a subject that cannot be read. `catalog`: the FleetCatalog that it names. */
function selectorIn(
  subject: FleetOperator | FleetCatalog,
  catalog: FleetCatalog | undefined,
): SubjectProblem | undefined {
  const problem = selectorProblem(subject.spec.clusters);
  if (problem !== undefined) return invalidSelector('spec.clusters', problem);
  if (subject.kind === 'FleetCatalog') return undefined;
  for (const [at, { clusters }] of (subject.spec.overrides ?? []).entries()) {
    const inOverride = selectorProblem(clusters);
    if (inOverride !== undefined) return invalidSelector(`spec.overrides[${at}].clusters`, inOverride);
  }
  const inCatalog = selectorProblem(catalog?.spec.clusters);
  if (inCatalog === undefined) return undefined;
  return invalidSelector(`spec.clusters of FleetCatalog ${subject.spec.catalog.fleetCatalog}`, inCatalog);
}

/**
 * Returns the reason why all rollouts of a subject are held, including running ones. An object or a
 * selector that governs its rollouts cannot be read, so no step can be right. `unreadable`: by key.
 */
export function holdOf(
  subject: FleetOperator | FleetCatalog,
  catalog: FleetCatalog | undefined,
  unreadable: ReadonlyMap<string, UnreadableObject>,
): SubjectProblem | undefined {
  for (const key of namedIn(subject)) {
    const found = unreadable.get(key);
    if (found !== undefined) return heldByUnreadable(found);
  }
  return selectorIn(subject, catalog);
}
