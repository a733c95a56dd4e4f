import { useState } from 'preact/hooks';
import type { OperatorRow } from '#core/fleet/view/rows';
import { useAction } from '../../live/act.js';
import { me } from '../../live/session.js';
import { Outcome } from '../../parts/outcome.js';
import { Section } from '../../parts/page.js';
import { Trouble } from '../../parts/states.js';

/** Takes a ClusterExtension back to an earlier revision, where the person may do that. */
export function RollBack({ of }: { of: OperatorRow }) {
  const [revision, setRevision] = useState('');
  const { answer, refusal, busy, act } = useAction();
  if (me.value?.may.rollBack !== true) return null;
  const number = Number(revision);
  const isRevision = Number.isInteger(number) && number > 0;
  const target = { cluster: of.cluster, namespace: of.namespace, name: of.name };
  return (
    <Section title="Roll back">
      <form
        class="line-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isRevision) act({ verb: 'roll-back', targets: [target], revision: number });
        }}
      >
        <label>
          To revision{' '}
          <input
            type="text"
            inputMode="numeric"
            size={6}
            value={revision}
            onInput={(event) => setRevision(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={!isRevision || busy}>
          Roll back
        </button>
      </form>
      {refusal && <Trouble refusal={refusal} since={undefined} />}
      {answer?.results.map((result) => (
        <Outcome key={result.cluster} of={result} />
      ))}
    </Section>
  );
}
