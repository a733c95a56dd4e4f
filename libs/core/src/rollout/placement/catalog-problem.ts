import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { SubjectProblem } from './subject-problem.js';

/** Facts that decide if operators can use a FleetCatalog for their content. */
export type UsedCatalog = Pick<FleetCatalog, 'metadata'> &
  Readonly<{ spec: Pick<FleetCatalog['spec'], 'promotion' | 'catalogSource' | 'clusterCatalog'> }>;

/**
 * Returns the reason why no rollout of a FleetOperator starts with this FleetCatalog. Returns undefined
 * if one may. Rings promote CatalogSources alone (why: fleet-catalogs.md "Rings").
 */
export function catalogProblem(
  { spec: { api } }: FleetOperator,
  { metadata, spec }: UsedCatalog,
): SubjectProblem | undefined {
  const key = `FleetCatalog ${metadata.namespace}/${metadata.name}`;
  if (api === 'Classic') {
    if (spec.catalogSource !== undefined) return undefined;
    return { reason: 'CatalogUnusable', message: `${key} has no catalogSource, which api: Classic needs: add one` };
  }
  if (spec.promotion === 'Staged') {
    return {
      reason: 'CatalogStaged',
      message: `${key} has promotion: Staged, which is for api: Classic alone: name a FleetCatalog with promotion: WithOperators`,
    };
  }
  if (spec.clusterCatalog !== undefined) return undefined;
  return { reason: 'CatalogUnusable', message: `${key} has no clusterCatalog, which api: V1 needs: add one` };
}

/** Returns the reason why no rollout of a Staged FleetCatalog starts. Returns undefined if one may. */
export function stagedProblem({ metadata, spec }: UsedCatalog): SubjectProblem | undefined {
  if (spec.promotion !== 'Staged' || spec.catalogSource !== undefined) return undefined;
  const key = `FleetCatalog ${metadata.namespace}/${metadata.name}`;
  return {
    reason: 'CatalogUnusable',
    message: `${key} has promotion: Staged and no catalogSource, the only thing that is promoted: add one, or set promotion: WithOperators`,
  };
}
