import { type LabelsOf, type Rights, wholeNamespace } from '#core/view/rights/rights';
import type { TrailEntry } from '#platform/console/audit-trail.port';
import type { ListedChange } from '../api/lists.schema.js';

const SIGN_INS: Readonly<Record<string, string>> = {
  'sign-in': 'signed in',
  'sign-in-refused': 'refused',
  'sign-out': 'signed out',
};

/** Names have no slash, clusters may. */
function placeOfTarget(target: string): Readonly<{ cluster: string; namespace: string; name: string }> {
  const parts = target.split('/');
  const [namespace = '', name = ''] = parts.slice(-2);
  return { cluster: parts.slice(0, -2).join('/'), namespace, name };
}

/**
 * Returns sign-ins and refusals as changes, for the role admin. Entries with a target go to admins of its
 * whole namespace. Entries without one go to admins of any place, as on the page Hub.
 */
export function trailChanges(
  entries: readonly TrailEntry[],
  rights: Rights,
  labels: LabelsOf,
): readonly ListedChange[] {
  if (!rights.mayAnywhere('admin')) return [];
  return entries.flatMap(({ at, event, person, address, verb, targets, more, because }): readonly ListedChange[] => {
    const nothing = { cluster: '', row: '', namespace: '', package: '', from: '' };
    const common = { at, address, by: person };
    if (event !== 'refused')
      return [{ ...nothing, ...common, kind: 'sign-in', to: SIGN_INS[event] ?? event, comment: because }];
    const comment = more === 0 ? because : `${because} (and ${more} more)`;
    const refusal = { ...nothing, ...common, kind: 'refusal', to: verb, comment } as const;
    if (targets.length === 0) return [refusal];
    return targets
      .map(placeOfTarget)
      .filter(({ cluster, namespace }) => rights.may('admin', wholeNamespace(cluster, namespace), labels))
      .map(({ cluster, namespace, name }) => ({ ...refusal, cluster, namespace, row: `refusal/${namespace}/${name}` }));
  });
}
