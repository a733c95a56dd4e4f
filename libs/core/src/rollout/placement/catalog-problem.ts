import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { SubjectProblem } from './subject-problem.js';

/** What decides whether operators can have their content from a FleetCatalog. */
export type UsedCatalog = Pick<FleetCatalog, 'metadata'> &
  Readonly<{ spec: Pick<FleetCatalog['spec'], 'promotion' | 'catalogSource' | 'clusterCatalog'> }>;

/**
 * Why no roll-out of a FleetOperator begins with this FleetCatalog; undefined where one may. Rings promote
 * CatalogSources alone (decision 0429).
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

/** Why no roll-out of a Staged FleetCatalog begins; undefined where one may. */
export function stagedProblem({ metadata, spec }: UsedCatalog): SubjectProblem | undefined {
  if (spec.promotion !== 'Staged' || spec.catalogSource !== undefined) return undefined;
  const key = `FleetCatalog ${metadata.namespace}/${metadata.name}`;
  return {
    reason: 'CatalogUnusable',
    message: `${key} has promotion: Staged and no catalogSource, the only thing that is promoted: add one, or set promotion: WithOperators`,
  };
}
