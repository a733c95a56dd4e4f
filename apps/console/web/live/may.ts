import type { RightsAnswer } from '../../src/api/lists.schema.js';
import { exactly, withQuery } from './address.js';
import { useLoaded } from './loaded.js';
import { me } from './session.js';

/** A ClusterExtension by its package, or an InstallPlan with all the packages that it moves. */
type MayPlace = Readonly<{ cluster: string; namespace: string } & ({ package: string } | { plan: string })>;

/**
 * True if the person may do it in that place; without a place nothing is asked. `anywhere`: true if the
 * person may do it in any place, known without a question. The key of this machine may do everything.
 */
export function useMay(verb: 'retry' | 'roll-back', place: MayPlace | undefined, anywhere: boolean): boolean {
  const isAsked = anywhere && me.value?.by !== 'loopback';
  const names = place && 'package' in place ? exactly({ package: place.package }) : {};
  const path = place && withQuery('can-i', { verb, ...place, ...names });
  const answer = useLoaded<RightsAnswer>(isAsked ? path : undefined, ({ event }) => event === 'reset');
  return anywhere && place !== undefined && (!isAsked || answer.data?.allowed === true);
}
