import type { ViewReader } from '#platform/view/view-store.port';
import type { Person } from '../sign-in/person.js';
import type { FleetRows } from './fleet-rows.js';
import type { LiveRows } from './live-rows.js';
import type { KnownHistory } from './rollout-pace.js';
import { labelsIn } from './visible-rows.js';

export type Seeing = Readonly<{
  reader: Pick<ViewReader, 'history'>;
  person: Pick<Person, 'rights'>;
  rows: Pick<FleetRows, 'clusters'>;
  view: Pick<LiveRows, 'row'>;
}>;

/** What changed in what a person may see. */
export async function seenHistory({ reader, person, rows, view }: Seeing): Promise<KnownHistory> {
  const { entries, knownSince } = await reader.history();
  if (person.rights.unbounded) return { entries, knownSince };
  const clusters = new Set(rows.clusters.map(({ cluster }) => cluster));
  const labels = labelsIn(view);
  const seen = entries.filter(
    ({ cluster, namespace, package: name }) =>
      clusters.has(cluster) &&
      person.rights.may('viewer', { cluster, namespace, ...(name === '' ? {} : { packages: [name] }) }, labels),
  );
  return { entries: seen, knownSince };
}
