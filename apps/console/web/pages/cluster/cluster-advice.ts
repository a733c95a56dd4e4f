import type { ClusterRow } from '#core/fleet/view/rows';
import { shellWord } from '#core/kernel/text/shell-word';
import type { Explanation } from '../../../src/api/questions.schema.js';

/** What a person can do about a cluster that does not answer, or is not used. */
export function clusterAdvice({ cluster, reach }: Pick<ClusterRow, 'cluster' | 'reach'>): Explanation['advice'] {
  if (reach !== 'away' && reach !== 'refused') return [];
  return [
    {
      text: 'See whether the cluster answers, where the hub runs and with the kubeconfig of the hub.',
      command: `flotilla clusters check -C ${shellWord(cluster)}`,
    },
    {
      text: 'Correct what is named above. Address, authority and login of a cluster stand in the kubeconfig of the hub, or in the Secret of its FleetCluster; the hub reads them again by itself, and goes on.',
      command: '',
    },
  ];
}
