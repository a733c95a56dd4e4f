import type { OperatorRow } from '#core/view/rows/rows';
import type { PlanList } from '../../../src/api/lists.schema.js';
import { useAction } from '../../live/act.js';
import { exactly, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useMay } from '../../live/may.js';
import { me } from '../../live/session.js';
import { Outcomes } from '../../parts/outcome.js';
import { Section } from '../../parts/page.js';

/** Retries an InstallPlan that failed, if the person may do that. */
export function Retry({ of }: { of: OperatorRow }) {
  const anywhere = me.value?.may.retry === true && of.api === 'classic';
  const { cluster, namespace } = of;
  const plans = useLoaded<PlanList>(
    anywhere
      ? withQuery('plans', { ...exactly({ cluster, namespace, package: of.package }), phase: 'Failed', limit: '1' })
      : undefined,
  );
  const { answer, refusal, busy, act } = useAction();
  const failed = plans.data?.items[0];
  const may = useMay('retry', failed && { cluster, namespace, plan: failed.name }, anywhere);
  if (!may && answer === undefined) return null;
  return (
    <Section title="Try again">
      {failed !== undefined && answer === undefined && (
        <p class="line-form">
          <span>
            The InstallPlan {failed.name} failed. Fix the cause first, then retry: a new plan replaces the failed plan.
          </span>
          <button
            type="button"
            disabled={busy}
            onClick={() =>
              act({
                verb: 'retry',
                targets: [{ cluster, namespace, name: failed.name }],
                planHash: failed.hash,
              })
            }
          >
            Retry plan
          </button>
        </p>
      )}
      <Outcomes answer={answer} refusal={refusal} />
    </Section>
  );
}
