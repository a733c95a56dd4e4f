import type { Explanation } from '../../src/api/questions.schema.js';
import { fullTime } from '../live/times.js';
import { Icon } from './icon.js';
import { Ago } from './text.js';

/** Shows the approval of the plan that installed an operator, or installs it: person, time and reason. */
export function ApprovedBy({ of }: { of: NonNullable<Explanation['approval']> }) {
  return (
    <p class="approved-by">
      <span class="ink-well">
        <Icon of="well" />
      </span>{' '}
      Its last InstallPlan was approved by <strong>{of.by}</strong>
      {of.at !== '' && (
        <span title={fullTime(of.at)}>
          {' '}
          <Ago time={of.at} /> ago
        </span>
      )}
      {of.comment !== '' && (
        <>
          : <q>{of.comment}</q>
        </>
      )}
    </p>
  );
}
