import { shellWord } from '#core/kernel/text/shell-word';
import type { OperatorRow } from '#core/view/rows/rows';
import type { EventsAnswer, ObjectAddress, ObjectAnswer } from '../../../src/api/questions.schema.js';
import { withQuery } from '../../live/address.js';
import { useQuery } from '../../live/query.js';
import { useQuestion } from '../../live/question.js';
import { CodeBlock } from '../../parts/copy.js';
import { Inked } from '../../parts/standing.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';
import { OwnCommand } from './own-command.js';
import { WholeObjectButton } from './whole-object.js';

const addressOf = ({ cluster, kind, namespace, name }: ObjectAddress): ObjectAddress => ({
  cluster,
  kind,
  namespace,
  name,
});

const wholeObject = ({ kind, namespace, name }: ObjectAddress): string =>
  `kubectl ${namespace === '' ? '' : `-n ${namespace} `}get ${kind.toLowerCase()} ${shellWord(name)} -o yaml`;

/** Shows the object that the hub asks for and the objects that result from it, one at a time. */
export function Objects({ of, place }: { of: OperatorRow; place: ObjectAddress }) {
  const [query] = useQuery();
  const { cluster, namespace, installed, next, plan, api, stillRuns = '' } = of;
  // The CSV of a plan that waits is not there yet.
  const csvs = [...new Set([stillRuns, installed, plan === '' ? next : ''])].filter(
    (name) => name !== '' && api === 'classic',
  );
  const all: readonly ObjectAddress[] = [
    addressOf(place),
    ...csvs.map((name) => ({ cluster, kind: 'ClusterServiceVersion', namespace, name })),
    ...(plan === '' ? [] : [{ cluster, kind: 'InstallPlan', namespace, name: plan }]),
  ];
  const keyOf = ({ kind, name }: ObjectAddress) => `${kind}/${name}`;
  const open = all.find((one) => keyOf(one) === query['object']) ?? addressOf(place);
  return (
    <>
      {all.length > 1 && (
        <nav class="chips" aria-label="Objects of this operator">
          {all.map((one) => (
            <a
              key={keyOf(one)}
              class="chip"
              aria-current={keyOf(one) === keyOf(open) ? 'true' : undefined}
              href={withQuery('', { ...query, object: keyOf(one) })}
            >
              {one.kind} {one.name}
            </a>
          ))}
        </nav>
      )}
      <ObjectOf key={keyOf(open)} of={open} />
    </>
  );
}

/** The object as it is in the cluster, secrets left out. */
function ObjectOf({ of }: { of: ObjectAddress }) {
  const { data, refusal, ask } = useQuestion<ObjectAnswer>('object', addressOf(of));
  return (
    <>
      {refusal && <Trouble refusal={refusal} since={undefined} renew={ask} />}
      {refusal && refusal.status >= 500 && (
        <OwnCommand cluster={of.cluster} command={wholeObject(of)} lead="With your own rights" />
      )}
      {data === undefined && !refusal && <Bones lines={10} />}
      {data?.cut && (
        <div class="notice">
          <p>
            This object is large; its end is left out here. <WholeObjectButton of={addressOf(of)} />
          </p>
          <OwnCommand
            cluster={of.cluster}
            command={wholeObject(of)}
            lead="With your own rights and the hidden fields"
          />
        </div>
      )}
      {data && <CodeBlock text={data.yaml} label={`${of.kind} ${of.name}`} />}
    </>
  );
}

export function EventsOf({ of }: { of: ObjectAddress }) {
  const { data, refusal, ask } = useQuestion<EventsAnswer>('events', addressOf(of));
  if (data?.items.length === 0) return <Empty title="No events" />;
  return (
    <>
      {refusal && <Trouble refusal={refusal} since={undefined} renew={ask} />}
      {data === undefined && !refusal && <Bones />}
      {data && (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Last</th>
              <th scope="col">Reason</th>
              <th scope="col">Message</th>
              <th scope="col" class="number">
                Times
              </th>
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((event) => (
              <tr key={`${event.at} ${event.reason} ${event.message}`}>
                <td>
                  <Ago time={event.at} />
                </td>
                <td>
                  {event.type === 'Warning' ? (
                    <Inked of="blocked" icon="warning">
                      {event.reason}
                    </Inked>
                  ) : (
                    event.reason
                  )}
                </td>
                <td class="grow">{event.message}</td>
                <td class="number">{event.count}</td>
                <td class="pale">{event.by}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
