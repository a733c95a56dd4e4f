import type { ChangeList } from '../../../src/api/lists.schema.js';
import type { Explanation } from '../../../src/api/questions.schema.js';
import { exactly, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { ChangeLines, MoreChanges } from '../../parts/change-lines.js';
import { Section } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

export function Newer({ of }: { of: Explanation['newer'] }) {
  if (of.length === 0) return null;
  return (
    <Section title="Newer versions">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Channel</th>
            <th scope="col">Blocked by</th>
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

type TimelineProps = Readonly<{
  of: { cluster: string; id: string };
  limit: string;
}>;

/** Shows the changes of one operator, and the people who approved its plans. */
export function Timeline({ of: { cluster, id }, limit }: TimelineProps) {
  const about = { ...exactly({ cluster }), about: id };
  const changes = useLoaded<ChangeList>(withQuery('changes', { ...about, limit }));
  return (
    <Section title="Changes">
      <Answered of={changes} lines={3}>
        {({ items, total, knownSince }) => {
          if (items.length > 0) {
            return (
              <>
                <ChangeLines items={items} />
                <MoreChanges total={total} shown={items.length} query={about} />
              </>
            );
          }
          return (
            <Empty title="No changes are known.">
              <p class="pale">
                The history covers the last <Ago time={knownSince} />.
              </p>
            </Empty>
          );
        }}
      </Answered>
    </Section>
  );
}
