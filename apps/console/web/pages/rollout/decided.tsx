import type { RolloutDetail } from '../../../src/api/lists.schema.js';
import { counted, fullTime, inWords } from '../../live/times.js';
import { Section } from '../../parts/page.js';
import { Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

/** Shows decisions about the rollout: person, time and reason. */
export function Decided({ of }: { of: RolloutDetail }) {
  return (
    <Section title="Decisions">
      {of.decisions === undefined && (
        <Empty title="The decisions are unknown.">
          <p>
            The poller may not read FleetDecisions in the hub API: apply <code>k8s/components/fleet</code> of this
            release.
          </p>
        </Empty>
      )}
      {of.decisions?.length === 0 && <p class="pale">Nobody has decided anything about it.</p>}
      {of.decisions !== undefined && of.decisions.length > 0 && <Lines of={of.decisions} />}
      {of.moreDecisions > 0 && (
        <p class="pale after">
          and {counted(of.moreDecisions, 'earlier decision')}: <code>flotilla fleet export --audit</code> has all.
        </p>
      )}
    </Section>
  );
}

function Lines({ of }: { of: NonNullable<RolloutDetail['decisions']> }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">Decision</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ at, by, action, about, reason, outcome }, index) => (
          <tr key={`${at}${index}`}>
            <td data-label="when" title={fullTime(at)}>
              <Ago time={at} /> ago
            </td>
            <td data-label="who">{by}</td>
            <th scope="row">
              {inWords(action)}
              {about !== '' && <span class="pale"> {about}</span>}
              {outcome === '' && <span class="pale"> · not carried out yet</span>}
              {outcome !== '' && outcome !== 'effective' && (
                <span class="ink-failed"> · without effect: {outcome}</span>
              )}
            </th>
            <td class="grow" data-label="why">
              {reason}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
