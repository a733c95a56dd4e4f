/** Descriptions of the fields of a strategy. A FleetRollout holds a copy of its strategy. */
export const STRATEGY_FIELDS: Readonly<Record<string, string>> = {
  waves:
    'Groups of clusters that change one after the other. A last wave `rest` takes the clusters that no wave selects, with the other settings of the last wave.',
  'waves[].name': 'Name of the wave: a DNS label, but not `rest`.',
  'waves[].percent': 'Share of the selected clusters that no earlier wave took, rounded up. Not together with `count`.',
  'waves[].count': 'Number of the selected clusters that no earlier wave took. Not together with `percent`.',
  'waves[].maxConcurrent':
    'Most clusters of the wave that change at the same time: a number, or a share of the wave such as `10%`. At least one cluster may change.',
  'waves[].soak': 'Time that the wave must rest after its last success before the next wave opens, as a Go duration.',
  'waves[].progressDeadline':
    'Longest time from the start of a cluster until it is done, as a Go duration. After that the cluster has failed.',
  'waves[].failureThreshold':
    'Failed clusters that the wave accepts: a number, or a share of the wave such as `2%`. With one more the rollout stops.',
  'waves[].requireSuccesses': 'Number of clusters that must be done before the wave is complete.',
  'waves[].offline':
    'Skip: leave an unreachable cluster out after the grace; it catches up later. Wait: hold the wave. Fail: count the cluster as failed after the grace.',
  'waves[].offlineGrace': 'Time that a cluster may be unreachable before `offline` takes effect, as a Go duration.',
  'waves[].promotion': 'Auto: the wave opens by itself. Manual: it opens with a Promote decision.',
  'waves[].gates': 'Checks before or after the change.',
  'waves[].gates[].name': 'Name of the check: a DNS label.',
  'waves[].gates[].when':
    'Before: a cluster or wave starts only when the check is green. After: it verifies the change.',
  'waves[].gates[].scope': 'Cluster: one check for each cluster. Wave: one check for the whole wave.',
  'waves[].gates[].times': 'Number of equal answers in a row that make the check green or red.',
  'waves[].gates[].interval': 'Time between two questions, as a Go duration of at least 1s.',
  'waves[].gates[].timeout': 'Longest time for an After check to become green, as a Go duration.',
  'waves[].gates[].cel':
    'Expression about objects of the managed cluster; only for scope Cluster. Exactly one of `cel`, `prometheus` and `webhook` is needed.',
  'waves[].gates[].prometheus': 'Query to a Prometheus server. Exactly one of `max` and `min` is needed.',
  'waves[].gates[].prometheus.url': 'Address of the server.',
  'waves[].gates[].prometheus.query':
    'Query with one number as its result. `$cluster` stands for the name of the cluster.',
  'waves[].gates[].prometheus.max': 'Largest number that is green.',
  'waves[].gates[].prometheus.min': 'Smallest number that is green.',
  'waves[].gates[].webhook':
    'HTTP service that answers `{"green": true}` or `{"green": false, "message": "…"}` to a POST with rollout, wave, cluster and bundle.',
  'waves[].gates[].webhook.url': 'Address of the service.',
  onFailure:
    'Answer to more failures than a wave accepts. Halt: stop and wait for a decision. RollBackWave: roll back the clusters of the wave. RollBackAll: roll back all clusters of the rollout.',
  onClusterFailure:
    'Answer to a failure that the wave accepts. Keep: leave the cluster as it is. RollBack: roll back this cluster.',
  rollbackConcurrency: 'Most clusters that go back at the same time: a number, or a share such as `25%`.',
  supersede:
    'Effect of a newer target. AfterWave: the rollout ends after its open wave. Immediately: it starts no further cluster. Queue: it runs to its end. Clusters that have not started get the version that their catalog leads to.',
  approval: 'Rules of approval for classes of equal plans. Without it every plan is approved.',
  'approval.default': 'Answer for kinds of change that no rule names: Auto, Manual (one user approves) or Deny.',
  'approval.rules': 'Rules for kinds of change. The strictest rule that applies to a class holds.',
  'approval.rules[].changes': 'Kinds of change that the rule is about.',
  'approval.rules[].action': 'Auto: no approval is needed. Manual: users must approve. Deny: the change is refused.',
  'approval.rules[].groups': 'Groups whose members may approve. Default: every user with verb `approve`.',
  'approval.rules[].min': 'Number of different users that must approve.',
  'approval.rules[].validFor': 'Time that an approval counts, as a Go duration.',
};
