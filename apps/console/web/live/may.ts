import type { RightsAnswer } from '../../src/api/lists.schema.js';
import { withQuery } from './address.js';
import { useLoaded } from './loaded.js';
import { me } from './session.js';

/** A ClusterExtension by its package, or an InstallPlan with all the packages that it moves. */
type MayPlace = Readonly<{ cluster: string; namespace: string } & ({ package: string } | { plan: string })>;

/**
 * Whether the person may do it there; without a place nothing is asked. `anywhere`: whether there is any
 * place where they may, which needs no question; the key of this machine may do everything.
 */
export function useMay(verb: 'retry' | 'roll-back', place: MayPlace | undefined, anywhere: boolean): boolean {
  const isAsked = anywhere && me.value?.by !== 'loopback';
  const path = place && withQuery('can-i', { verb, ...place });
  const answer = useLoaded<RightsAnswer>(isAsked ? path : undefined, ({ event }) => event === 'reset');
  return anywhere && place !== undefined && (!isAsked || answer.data?.allowed === true);
}
