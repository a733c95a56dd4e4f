import type { OperatorRow } from '#core/fleet/view/rows';
import type { RightsAnswer } from '../../src/api/lists.schema.js';
import { withQuery } from './address.js';
import { useLoaded } from './loaded.js';
import { me } from './session.js';

/**
 * Whether the person may do it to this operator. `anywhere`: whether there is any place where they may, which
 * needs no question; the key of this machine may do everything.
 */
export function useMay(
  verb: 'retry' | 'roll-back',
  { cluster, namespace, package: name }: OperatorRow,
  anywhere: boolean,
): boolean {
  const isAsked = anywhere && me.value?.by !== 'loopback';
  const path = withQuery('can-i', { verb, cluster, namespace, package: name });
  const answer = useLoaded<RightsAnswer>(isAsked ? path : undefined, ({ event }) => event === 'reset');
  return anywhere && (!isAsked || answer.data?.allowed === true);
}
