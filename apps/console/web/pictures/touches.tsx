import type { OtherOperator, Touch } from '../../src/api/questions.schema.js';
import { paths } from '../live/address.js';
import { count, counted } from '../live/times.js';
import { Section } from '../parts/page.js';

const MOST = 20;

const CHANGES: Readonly<Record<Touch['change'], string>> = {
  new: 'new',
  changed: 'changed',
  unchanged: 'unchanged',
  unread: 'content not read',
};
const ROLES: Readonly<Record<OtherOperator['role'], string>> = { owner: 'owns it too', user: 'uses it' };

type TouchesProps = Readonly<{
  /** Undefined: not known. */
  of: readonly Touch[] | undefined;
  /** Another owner is known of, also if the person may not see it. */
  shared: boolean;
}>;

/** Shows the reach of an approval: from each package to its CRDs, and from these to other operators of the clusters. */
export function Touches({ of, shared }: TouchesProps) {
  if (of === undefined) {
    return (
      <Section title="What it touches">
        <p class="pale">Not known: the catalog poller is of an earlier release.</p>
      </Section>
    );
  }
  const isHidden = shared && of.every(({ others }) => others.every(({ role }) => role !== 'owner'));
  const withOthers = of.filter(({ others }) => others.length > 0).length;
  return (
    <Section
      title="What it touches"
      aside={
        <span class="pale">
          {counted(of.length, 'CRD')}, {count(withOthers)} with other operators
        </span>
      }
    >
      {of.length === 0 && <p class="pale">These plans write no CustomResourceDefinition.</p>}
      {isHidden && <p class="notice">Other owners of these CRDs are not visible to you.</p>}
      <Tree of={of.slice(0, MOST)} />
      {of.length > MOST && <p class="pale after">and {counted(of.length - MOST, 'more CRD')} in the table</p>}
      {of.length > 0 && <TouchTable of={of} />}
    </Section>
  );
}

const Tree = ({ of }: { of: readonly Touch[] }) => (
  <ul class="touches">
    {[...Map.groupBy(of, ({ package: name }) => name)].map(([name, own]) => (
      <li key={name}>
        <strong>{name}</strong>
        <ul>
          {own.map((touch) => (
            <li key={`${touch.bundle} ${touch.name}`}>
              <span>
                {touch.name} <Change of={touch} />
              </span>
              <ul>
                {touch.others.map((other) => (
                  <li key={`${other.namespace} ${other.package} ${other.role}`}>
                    <Other of={other} />
                  </li>
                ))}
                {touch.moreOthers > 0 && <li class="pale">and at least {count(touch.moreOthers)} more</li>}
                {touch.others.length === 0 && <li class="pale">no other operator</li>}
              </ul>
            </li>
          ))}
        </ul>
      </li>
    ))}
  </ul>
);

const Change = ({ of: { change } }: { of: Touch }) => (
  <span class={`risk ${change === 'unchanged' || change === 'new' ? '' : 'high'}`}>{CHANGES[change]}</span>
);

function Other({ of }: { of: OtherOperator }) {
  const { example: cluster, namespace, operator: name } = of;
  const href = name === '' ? paths.cluster(cluster) : paths.operator({ cluster, namespace, name, api: 'classic' });
  return (
    <span>
      <a href={href}>{of.package}</a>{' '}
      <span class="pale">
        {namespace} · {of.clusters === 1 ? cluster : counted(of.clusters, 'cluster')}
      </span>{' '}
      <span class={`risk ${of.role === 'owner' ? 'high' : ''}`}>{ROLES[of.role]}</span>
    </span>
  );
}

const TouchTable = ({ of }: { of: readonly Touch[] }) => (
  <details>
    <summary>As a table</summary>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">CRD</th>
          <th scope="col">Package</th>
          <th scope="col">Change</th>
          <th scope="col">Other operators</th>
        </tr>
      </thead>
      <tbody>
        {of.map((touch) => (
          <tr key={`${touch.bundle} ${touch.name}`}>
            <th scope="row">{touch.name}</th>
            <td data-label="of">{touch.package}</td>
            <td>{CHANGES[touch.change]}</td>
            <td class="grow">{othersInWords(touch)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

function othersInWords({ others, moreOthers }: Touch): string {
  const words = others.map(
    ({ package: name, namespace, role, clusters, example }) =>
      `${name} in ${namespace} (${clusters === 1 ? example : counted(clusters, 'cluster')}) ${ROLES[role]}`,
  );
  return [...words, ...(moreOthers > 0 ? [`at least ${count(moreOthers)} more`] : [])].join(', ') || 'none';
}
