import { useState } from 'preact/hooks';
import type { ActionResult } from '../../../src/api/actions.schema.js';
import type { ReviewAnswer, ReviewGroup } from '../../../src/api/questions.schema.js';
import { paths } from '../../live/address.js';
import { count, counted } from '../../live/times.js';
import { Outcome } from '../../parts/outcome.js';
import { addressOf } from './plan-address.js';

type MembersProps = {
  of: ReviewGroup;
  unchecked: ReviewAnswer['unchecked'];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  results: readonly ActionResult[] | undefined;
};

/** The clusters of a group with a tick each; after the approval with the result of each. */
export function Members({ of, unchecked, chosen, onChoose, results }: MembersProps) {
  if (results) return <Results of={results} />;
  const [own, others] = [true, false].map((wanted) => of.members.filter(({ mayApprove }) => mayApprove === wanted));
  return (
    <>
      {own && own.length > 0 && <Ticks {...{ own, chosen, onChoose }} />}
      {others && others.length > 0 && (
        <>
          <h3>Not yours to approve</h3>
          <ul class="members">
            {others.map((one) => (
              <li key={addressOf(one)}>
                {one.cluster} <span class="pale">{one.namespace}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {unchecked.length > 0 && <Unchecked of={unchecked} />}
    </>
  );
}

type TicksProps = Pick<MembersProps, 'chosen' | 'onChoose'> & { own: ReviewGroup['members'] };

/** More members than this have a search. */
const MANY = 15;

function Ticks({ own, chosen, onChoose }: TicksProps) {
  const [words, setWords] = useState('');
  const addresses = own.map(addressOf);
  const wanted = words.trim().toLowerCase();
  const found = own.filter(({ cluster, namespace }) => `${cluster} ${namespace}`.toLowerCase().includes(wanted));
  const ticked = addresses.filter((address) => chosen.has(address)).length;
  const change = (some: readonly string[], tick: boolean) => {
    const next = new Set(chosen);
    for (const address of some) tick ? next.add(address) : next.delete(address);
    onChoose(next);
  };
  return (
    <>
      <label class="tick-line all">
        <input
          type="checkbox"
          checked={ticked === addresses.length}
          indeterminate={ticked > 0 && ticked < addresses.length}
          onChange={(event) => change(addresses, event.currentTarget.checked)}
        />
        <strong>
          {ticked} of {counted(addresses.length, 'cluster')} of this group
        </strong>
      </label>
      {own.length > MANY && (
        <p class="line-form">
          <input
            type="search"
            aria-label="Search clusters of this group"
            placeholder="Search"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
          <span class="pale" role="status">
            {wanted !== '' && `${count(found.length)} of `}
            {counted(own.length, 'cluster')}, scroll for more
          </span>
        </p>
      )}
      <ul class="members">
        {found.map((member) => (
          <li key={addressOf(member)}>
            <label class="tick-line">
              <input
                type="checkbox"
                checked={chosen.has(addressOf(member))}
                onChange={(event) => change([addressOf(member)], event.currentTarget.checked)}
              />
              <span>
                {member.cluster} <span class="pale">{member.namespace}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}

function Unchecked({ of }: { of: ReviewAnswer['unchecked'] }) {
  return (
    <>
      <h3>Not checked</h3>
      <ul class="members">
        {of.map((one) => (
          <li key={addressOf(one)}>
            <a href={paths.cluster(one.cluster)}>{one.cluster}</a> <span class="pale">{one.why}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Results of an approval, those that failed first. */
export function Results({ of, noun = 'cluster' }: { of: readonly ActionResult[]; noun?: string }) {
  const order = ['refused', 'failed', 'changed-meanwhile', 'away', 'unknown', 'pending', 'done'];
  const sorted = of.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const [done, changed] = (['done', 'changed-meanwhile'] as const).map(
    (wanted) => of.filter(({ outcome }) => outcome === wanted).length,
  );
  return (
    <div class="members results">
      <p role="status" class="lead">
        Approved in {count(done ?? 0)} of {counted(of.length, noun)}
        {changed !== undefined && changed > 0 && `; in ${count(changed)} the reviewed plan was no longer waiting`}
      </p>
      {sorted.map((one) => (
        <Outcome key={addressOf(one)} of={one} />
      ))}
    </div>
  );
}
