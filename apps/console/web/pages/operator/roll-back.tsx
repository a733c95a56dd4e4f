import { useState } from 'preact/hooks';
import type { OperatorRow } from '#core/view/rows/rows';
import type { Explanation } from '../../../src/api/questions.schema.js';
import { useAction } from '../../live/act.js';
import { useMay } from '../../live/may.js';
import { me } from '../../live/session.js';
import { Outcomes } from '../../parts/outcome.js';
import { Section } from '../../parts/page.js';

type Revisions = Explanation['revisions'];

/** Shows the kept revisions of a ClusterExtension, and rolls back to one, if the person may do that. */
export function RollBack({ of, revisions }: { of: OperatorRow; revisions: Revisions }) {
  const { cluster, namespace, package: name } = of;
  const anywhere = me.value?.may.rollBack === true && revisions.length > 1;
  const may = useMay('roll-back', { cluster, namespace, package: name }, anywhere);
  if (revisions.length === 0) return null;
  return (
    <Section title="Revisions">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Revision</th>
            <th scope="col">Version</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {revisions.map(({ revision, bundle, version, state }) => (
            <tr key={revision}>
              <th scope="row">{revision}</th>
              <td data-label="version" title={bundle}>
                {version || bundle}
              </td>
              <td class="grow">{state}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {revisions.length === 1 && <p class="pale">There is no earlier revision to go back to.</p>}
      {may && <Back of={of} earlier={revisions.slice(1)} />}
    </Section>
  );
}

function Back({ of, earlier }: { of: OperatorRow; earlier: Revisions }) {
  const [chosen, setChosen] = useState('');
  const { answer, refusal, busy, act } = useAction();
  const target = { cluster: of.cluster, namespace: of.namespace, name: of.name };
  return (
    <>
      <form
        class="line-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== '') act({ verb: 'roll-back', targets: [target], revision: Number(chosen) });
        }}
      >
        <select aria-label="Go back to" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">Go back to…</option>
          {earlier.map(({ revision, version, bundle }) => (
            <option key={revision} value={revision}>
              revision {revision}, {version || bundle}
            </option>
          ))}
        </select>
        <button type="submit" disabled={chosen === '' || busy}>
          Roll back
        </button>
      </form>
      <Outcomes answer={answer} refusal={refusal} />
    </>
  );
}
