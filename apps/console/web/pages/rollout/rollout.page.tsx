import { useRoute } from 'preact-iso';
import { shellWord } from '#core/kernel/text/shell-word';
import { WITHDRAWN_END, withdrawnText } from '#core/rollout/controller/step/withdrawn';
import type { RolloutDetail } from '../../../src/api/lists.schema.js';
import { PackageOperators } from '../../list/package-operators.js';
import { paths, rowPaths } from '../../live/address.js';
import { useLoaded, useRenewed, WAVES_EVERY } from '../../live/loaded.js';
import { count } from '../../live/times.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Labelled } from '../../parts/standing.js';
import { Bones, Trouble } from '../../parts/states.js';
import { Decided } from './decided.js';
import { Decisions } from './decisions.js';
import { Ended } from './ended.js';
import { Pace } from './pace.js';
import { PathSteps } from './path-steps.js';
import { Verdict } from './verdict.js';
import { Waves } from './waves.js';

/** Minutes until it is worth reporting that no cluster has reached the target. */
const TELLING = 10;

/** One rollout, followed as it goes. */
export default function RolloutPage() {
  const id = useRoute().params['id'] ?? '';
  const rollout = useLoaded<RolloutDetail>(rowPaths.rollout(id));
  useRenewed(rollout, WAVES_EVERY);
  const isGone = rollout.refusal?.status === 404;
  const one = isGone ? undefined : rollout.data;
  return (
    <Page title={one ? `${one.package} → ${one.target}` : id} asOf={one?.asOf} above={<a href="/rollouts">Rollouts</a>}>
      {rollout.refusal && !isGone && (
        <Trouble refusal={rollout.refusal} since={rollout.failingSince} renew={rollout.renew} />
      )}
      {rollout.data === undefined && !rollout.refusal && <Bones />}
      {isGone && <Ended id={id} />}
      {one && <Shown of={one} renew={rollout.renew} />}
      {one && !one.derived && <SameCommand command={`flotilla fleet status ${shellWord(one.id)}`} />}
    </Page>
  );
}

/** Says that no decision brings the target, and describes the further course of the rollout. */
const Withdrawn = ({ of: { target, finishedAt } }: { of: RolloutDetail }) => (
  <p>
    {withdrawnText(target)}.{finishedAt === '' && ` The rollout ${WITHDRAWN_END}.`}
  </p>
);

/** Lists the clusters that failed, by their failures. */
const Failures = ({ of }: { of: RolloutDetail }) => (
  <Section title="Failures">
    <ul class="findings">
      {of.failures.map(({ reason, cause, clusters, examples }) => (
        <li key={reason + cause}>
          <Labelled of="failed">
            <span>{count(clusters)}</span>
          </Labelled>
          <span>
            {[reason, cause].filter((part) => part !== '').join(': ')}{' '}
            <span class="pale">
              in{' '}
              {examples.map((cluster, at) => (
                <span key={cluster}>
                  {at > 0 && ', '}
                  <a href={paths.cluster(cluster)}>{cluster}</a>
                </span>
              ))}
              {clusters > examples.length && ` and ${count(clusters - examples.length)} more`}
            </span>
          </span>
        </li>
      ))}
    </ul>
  </Section>
);

function Shown({ of, renew }: { of: RolloutDetail; renew: () => void }) {
  return (
    <>
      <Verdict of={of} />
      {of.withdrawn && <Withdrawn of={of} />}
      <Waves of={of} />
      {of.failures.length > 0 && <Failures of={of} />}
      {!of.derived && <Decisions of={of} renew={renew} />}
      {of.pace && (of.pace.clusters > 0 || of.pace.minutes >= TELLING) && (
        <Pace of={of.pace} ended={of.finishedAt !== ''} />
      )}
      <Decided of={of} />
      {!of.derived && <PathSteps of={of} />}
      <PackageOperators title="Operators of this package" package={of.package} filters={['q', 'standing', 'version']} />
    </>
  );
}
