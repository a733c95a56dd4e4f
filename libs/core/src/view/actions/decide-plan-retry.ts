import { RETRY_ANNOTATION, retryAnnotation } from '../../classic/install-plan/plan/retry-plan.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { hopHash, type SubscriptionMove } from '../../rollout/review/hop-hash.js';
import type { ActionEnd, ConsoleAction } from './console-action.js';

type RetryFacts = Readonly<{
  plan: InstallPlan | undefined;
  moves: readonly SubscriptionMove[];
  globalCatalogNamespace: string;
}>;

/** The merge patch that retries a failed plan, or the reason why it is not retried. */
type PlanRetryDecision = Readonly<{ patch: Readonly<Record<string, unknown>> } | { end: ActionEnd }>;

/** Retries a failed plan, if it is the one that was shown. */
export function decidePlanRetry(facts: RetryFacts, { planHash }: Pick<ConsoleAction, 'planHash'>): PlanRetryDecision {
  const { plan, moves, globalCatalogNamespace } = facts;
  if (plan === undefined)
    return { end: { outcome: 'done', message: 'the InstallPlan is gone; its namespace is reconciled at once' } };
  const { metadata, status } = plan;
  if (status?.phase !== 'Failed') {
    const phase = status?.phase ?? 'not set';
    return {
      end: {
        outcome: 'done',
        message: `the InstallPlan has not failed (phase ${phase}); its namespace is reconciled at once`,
      },
    };
  }
  if (planHash !== undefined && hopHash(plan, moves, globalCatalogNamespace) !== planHash)
    return {
      end: { outcome: 'changed-meanwhile', message: 'the failed InstallPlan is not the one that was shown' },
    };
  const annotations = { [RETRY_ANNOTATION]: retryAnnotation('replan') };
  return { patch: { metadata: { resourceVersion: metadata.resourceVersion, annotations } } };
}
