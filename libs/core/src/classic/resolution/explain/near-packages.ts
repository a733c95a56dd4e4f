import { nearestNames } from '../../../kernel/text/did-you-mean.js';
import type { IndexedCatalog } from '../problem/catalog-slice.js';
import type { Reason, Resolution } from '../problem/resolution-problem.js';
import { adviceFor } from './advice.js';

/**
 * Adds the nearest package names of whole catalogs to an explanation. A problem holds only packages that are
 * reached, so a mistyped name has no neighbours there.
 */
export function withNearPackages(resolution: Resolution, catalogs: readonly IndexedCatalog[]): Resolution {
  if (resolution.result !== 'unsatisfiable') return resolution;
  const explanation = resolution.explanation.map((reason) => completed(reason, catalogs));
  return { ...resolution, explanation, advice: adviceFor(explanation) };
}

function completed(reason: Reason, catalogs: readonly IndexedCatalog[]): Reason {
  const { kind, facts, because } = reason;
  if (kind !== 'nothing-found' || facts['lacks'] !== 'package')
    return because.length === 0 ? reason : { ...reason, because: because.map((one) => completed(one, catalogs)) };
  const catalog = catalogs.find(({ key }) => `${key.namespace}/${key.name}` === facts['catalog']);
  const has = nearestNames(facts['package'] ?? '', catalog?.index?.names ?? []).join(', ');
  return { ...reason, facts: { ...facts, has } };
}
