import type { AdviceParts } from '#core/cluster/advice/advice-parts';
import type { ClusterRow } from '#core/view/rows/rows';
import { type Reached, todoIn } from '../../live/cluster-commands.js';

/** Returns advice for a cluster that does not answer, or is not used. */
export function clusterAdvice(of: Reached & Pick<ClusterRow, 'reach' | 'cause'>): AdviceParts[] {
  if (of.reach !== 'away' && of.reach !== 'refused') return [];
  const withFile = of.context === undefined ? '' : ' and with the kubeconfig of the hub';
  const secret = of.context === undefined ? ', or in the Secret of its FleetCluster' : '';
  const where = `in the kubeconfig of the hub${secret}`;
  const own = of.cause?.todo;
  return [
    ...(own === undefined ? [] : [{ text: own, command: '' }]),
    todoIn(of, `Check on the machine of the hub${withFile} that the cluster answers: flotilla clusters check`),
    {
      text: `Correct the problem named above. Address, authority and login of the cluster are ${where}. The hub reads them again by itself.`,
      command: '',
    },
  ];
}
