/** Kinds of entries in the order of the changelog, each with its heading. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['upgrade', 'Upgrade notes'],
  ['security', 'Security'],
  ['added', 'Added'],
  ['changed', 'Changed'],
  ['fixed', 'Fixed'],
]);

/** One change that users see, as a file of `changes` has it. */
export type ChangeEntry = Readonly<{ file: string; kind: string; text: string }>;

const MOST_LINES = 2;
const MOST_CHARACTERS = 280;
/** Most words of all that is unreleased. */
export const MOST_WORDS = 1_500;

/** Reads an entry: front matter with its kind, then its text. */
export function readEntry(file: string, text: string): ChangeEntry {
  const [, kind = '', body = ''] = /^---\nkind: ([a-z]+)\n---\n\n?([\s\S]*)$/.exec(text) ?? [];
  return { file, kind, text: body.trim() };
}

/** Reports an entry that users could not read at once. */
export function entryProblems({ file, kind, text }: ChangeEntry): readonly string[] {
  const rules: readonly (readonly [boolean, string])[] = [
    [KINDS.has(kind), `begin with front matter, kind: ${[...KINDS.keys()].join(', ')}`],
    [text !== '' && text.split('\n').length <= MOST_LINES, `one or two lines are expected`],
    [text.length <= MOST_CHARACTERS, `at most ${MOST_CHARACTERS} characters: say what users see`],
    [/^[A-Z`*]/.test(text) && text.endsWith('.'), 'a sentence is expected'],
    [!/decisions?[/ ]\d|\b0\d{3}\b/i.test(text), 'users know no numbers of decisions: link a page'],
  ];
  return rules.flatMap(([holds, problem]) => (holds ? [] : [`changes/${file}: ${problem}`]));
}

/** Links of an entry begin in the folder of entries. */
const atTheRoot = (text: string): string => text.replaceAll('](../', '](');

/** Returns the list of a release: entries by kind, in the order of their files. */
export function changeList(entries: readonly ChangeEntry[]): string {
  const byKind = Map.groupBy(
    entries.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    ({ kind }) => kind,
  );
  return [...KINDS]
    .flatMap(([kind, heading]) => {
      const items = (byKind.get(kind) ?? []).map(({ text }) => `- ${atTheRoot(text).replaceAll('\n', '\n  ')}`);
      return items.length === 0 ? [] : [`### ${heading}\n\n${items.join('\n')}\n`];
    })
    .join('\n');
}

/** Counts the words of entries. */
export const wordsOfEntries = (entries: readonly ChangeEntry[]): number =>
  entries.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
