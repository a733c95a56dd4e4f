/** The front matter of a decision record, with its file and heading. */
export type DecisionRecord = Readonly<{
  file: string;
  id: string;
  title: string;
  heading: string;
  status: string;
  date: string;
  area: string;
  /** Numbers of records that are part of this one now. */
  supersedes: readonly string[];
  /** The number of the record that holds in place of this one. */
  supersededBy: string;
}>;

/** Areas of decisions in the order of the index, each with its heading. */
export const AREAS: ReadonlyMap<string, string> = new Map([
  ['trust', 'Trust: rights, logins, signatures, what a stolen part can do'],
  ['olm', 'OLM Classic and OLM v1'],
  ['catalogs', 'Catalogs and bundles'],
  ['clusters', 'Clusters: joining, owning, leaving'],
  ['api-servers', 'API servers: connections, caches, watches, writes'],
  ['hub', 'Services of the hub: queues, Redis, memory, telemetry'],
  ['fleet', 'Fleet and rollouts'],
  ['console', 'The web console'],
  ['command', 'The command and its answers'],
  ['project', 'The project: code, packages, tests, pages, releases'],
]);

/** A file of a record: its number, then words. */
export const RECORD_FILE = /^(\d{4})-[a-z0-9-]+\.md$/;

/** Reads a record. Fields that are missing are empty, and {@link recordProblems} names them. */
export function readRecord(file: string, text: string): DecisionRecord {
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [undefined, '', text];
  const fields = new Map(
    front.split('\n').flatMap((line): [string, string][] => {
      const [, key, value] = /^([a-z-]+): (.+)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value]];
    }),
  );
  const field = (name: string): string => fields.get(name) ?? '';
  return {
    file,
    id: field('id'),
    title: field('title'),
    heading: /^# (.*)$/m.exec(body)?.[1] ?? '',
    status: field('status'),
    date: field('date'),
    area: field('area'),
    supersedes: field('supersedes').match(/\d{4}/g) ?? [],
    supersededBy: field('superseded-by'),
  };
}

/** Numbers of former records with the link to the place that holds their reason now. */
export const readMoved = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(/^\| (\d{4}) \| \[.*\]\((.*)\) \|$/gm)].map(([, id = '', link = '']) => [id, link]));

/** Reports front matter that is incomplete, or contradicts the file, another record or the moved numbers. */
export function recordProblems(records: readonly DecisionRecord[], moved: ReadonlyMap<string, string>): string[] {
  const known = new Map(records.map((record) => [record.id, record]));
  const byTitle = Map.groupBy(records, ({ title }) => title);
  const isAccepted = (id: string): boolean => known.get(id)?.status === 'accepted';
  return records.flatMap((record) => {
    const { file, id, title, heading, status, date, area, supersedes, supersededBy } = record;
    const rules: readonly (readonly [boolean, string])[] = [
      [RECORD_FILE.exec(file)?.[1] === id, `id: the number of the file is expected`],
      [title !== '' && title === heading, 'title: the heading of the page is expected'],
      [byTitle.get(title)?.length === 1, 'title: another record has it too'],
      [status === 'accepted' || status === 'superseded', 'status: accepted or superseded'],
      [/^20\d\d-[01]\d-[0-3]\d$/.test(date), 'date: a day such as 2026-11-30 is expected'],
      [AREAS.has(area), `area: one of ${[...AREAS.keys()].join(', ')}`],
      [supersedes.every((one) => moved.has(one) || known.get(one)?.supersededBy === id), 'supersedes: unknown number'],
      [(status === 'superseded') === isAccepted(supersededBy), 'superseded-by: the record that holds in its place'],
      [!moved.has(id), 'id: the number is in moved.md'],
    ];
    return rules.flatMap(([holds, problem]) => (holds ? [] : [`${file}: ${problem}`]));
  });
}

const INTRODUCTION = `# Decisions

Choices that bind several parts of the code, one file each: context, decision, consequence. The reason for a single feature is a note in
[Why](../why/README.md). Numbers say nothing about order; numbers that are missing here are in [Moved records](moved.md).

\`make tables\` writes this page from the front matter of the records (\`scripts/tables\`). Code cites a record as \`decision 0136\`.
`;

/** Returns the index of the records by area. */
export function decisionIndex(records: readonly DecisionRecord[]): string {
  const byArea = Map.groupBy(records, ({ area }) => area);
  const rowOf = ({ id, file, title, status, date, supersededBy }: DecisionRecord): string =>
    `| [${id}](${file}) | ${title}${status === 'superseded' ? ` (superseded by ${supersededBy})` : ''} | ${date} |`;
  const sections = [...AREAS].flatMap(([area, heading]) => {
    const rows = (byArea.get(area) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(rowOf);
    return rows.length === 0
      ? []
      : [`## ${heading}\n\n| number | decision | date |\n|---|---|---|\n${rows.join('\n')}\n`];
  });
  return [INTRODUCTION, ...sections].join('\n');
}
