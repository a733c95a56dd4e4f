import type { ChangeList } from '../../../src/api/lists.schema.js';
import type { Explanation } from '../../../src/api/questions.schema.js';
import { withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { ChangeLines } from '../../parts/change-lines.js';
import { CodeBlock } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { Standing, type StandingName } from '../../parts/standing.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

type BecauseProps = { cause: string | undefined; standing: StandingName; because: readonly string[]; since: string };

/** The cause in one sentence, with what lies behind it. */
export function Because({ cause, standing, because, since }: BecauseProps) {
  if (standing === 'well') {
    return (
      <p class="why well">
        <Standing of="well" glyphOnly /> <span class="lead">It is up to date with what it asks for.</span>
      </p>
    );
  }
  // The row has all of it in 200 characters; once the cluster has answered each sentence stands by itself.
  const [lead = cause ?? 'The hub has not found the cause yet.', ...behind] = because;
  return (
    <div class={`why ${standing}`}>
      <p class="why-cause">
        <Standing of={standing} glyphOnly />
        <span class="lead">{lead}</span>
        <span class="pale">
          since <Ago time={since} />
        </span>
      </p>
      {behind.length > 0 && (
        <ul class="why-because" aria-label="Because">
          {behind.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function Advice({ of }: { of: Explanation['advice'] }) {
  if (of.length === 0) return null;
  return (
    <Section title="What to do">
      <ol class="advice">
        {of.map(({ text, command }) => (
          <li key={text + command}>
            <p>{text}</p>
            {command !== '' && <CodeBlock text={command} label="Command" />}
          </li>
        ))}
      </ol>
    </Section>
  );
}

export function Newer({ of }: { of: Explanation['newer'] }) {
  if (of.length === 0) return null;
  return (
    <Section title="Newer versions">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Channel</th>
            <th scope="col">What keeps it away</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ bundle, version, channel, why }) => (
            <tr key={`${bundle} ${channel}`}>
              <th scope="row" title={bundle}>
                {version || bundle}
              </th>
              <td data-label="channel">{channel}</td>
              <td class="grow">{why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** What changed in one operator. */
export function Timeline({
  of,
  limit,
}: {
  of: { cluster: string; id: string; namespace: string; name: string };
  limit: string;
}) {
  const changes = useLoaded<ChangeList>(
    withQuery('changes', { cluster: of.cluster, namespace: of.namespace, q: of.name, limit }),
  );
  return (
    <Section title="Changes">
      <Answered of={changes} lines={3}>
        {({ items, knownSince }) => {
          const some = items.filter(({ row }) => row === of.id);
          if (some.length > 0) return <ChangeLines items={some} />;
          return (
            <Empty title="Nothing has changed since changes are known.">
              <p class="pale">
                They are known for <Ago time={knownSince} />.
              </p>
            </Empty>
          );
        }}
      </Answered>
    </Section>
  );
}
