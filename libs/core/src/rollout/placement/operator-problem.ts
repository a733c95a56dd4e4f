import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { catalogProblem, type UsedCatalog } from './catalog-problem.js';
import { invalidSelector } from './held-subject.js';
import { selectorProblem } from './select-clusters.js';
import type { SubjectProblem } from './subject-problem.js';

/** The objects around a FleetOperator. Names are `<namespace>/<name>`. */
type OperatorSurroundings = Readonly<{
  strategies: ReadonlySet<string>;
  catalogs: ReadonlyMap<string, UsedCatalog>;
}>;

/**
 * Checks that the objects that a rollout needs exist before it starts. Without its strategy a FleetOperator
 * would have the waves and approvals of another one, or none. No rollout starts then. A running rollout has a
 * copy of its strategy.
 */
export function operatorProblem(
  operator: FleetOperator,
  { strategies, catalogs }: OperatorSurroundings,
): SubjectProblem | undefined {
  const { spec } = operator;
  const strategy = strategyProblem(operator, strategies);
  if (strategy !== undefined) return strategy;
  const { fleetCatalog } = spec.catalog;
  const inCatalog = fleetCatalog === undefined ? undefined : catalogIn(operator, fleetCatalog, catalogs);
  if (inCatalog !== undefined) return inCatalog;
  const problem = selectorProblem(spec.clusters);
  if (problem !== undefined) return invalidSelector('spec.clusters', problem);
  for (const [at, { clusters }] of (spec.overrides ?? []).entries()) {
    const inOverride = selectorProblem(clusters);
    if (inOverride !== undefined) return invalidSelector(`spec.overrides[${at}].clusters`, inOverride);
  }
  return undefined;
}

function catalogIn(
  operator: FleetOperator,
  name: string,
  catalogs: OperatorSurroundings['catalogs'],
): SubjectProblem | undefined {
  const key = `${operator.metadata.namespace}/${name}`;
  const catalog = catalogs.get(key);
  if (catalog !== undefined) return catalogProblem(operator, catalog);
  return {
    reason: 'CatalogMissing',
    message: `there is no FleetCatalog ${key}: no rollout begins until it exists`,
  };
}

/** Returns the problem if the named strategy does not exist. */
export function strategyProblem(
  { metadata, spec }: Pick<FleetOperator, 'metadata'> & Readonly<{ spec: Pick<FleetOperator['spec'], 'strategyRef'> }>,
  strategies: ReadonlySet<string>,
): SubjectProblem | undefined {
  const name = spec.strategyRef && `${metadata.namespace}/${spec.strategyRef.name}`;
  if (name === undefined || strategies.has(name)) return undefined;
  return {
    reason: 'StrategyMissing',
    message: `there is no FleetStrategy ${name}: no rollout begins until it exists`,
  };
}
