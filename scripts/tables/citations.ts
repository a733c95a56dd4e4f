import { headingSlug } from '../site/heading-slug.ts';

/** A place that a text cites: a decision by its number, or a note by its page and headings. */
export type Citation =
  | Readonly<{ kind: 'decision'; id: string }>
  | Readonly<{ kind: 'why'; page: string; heading: string | undefined }>;

const DECISIONS = /\b[Dd]ecisions?(?: record)? \[?(\d{4})\b(?:\]\([^)]*\))?(?:(?:,| and) \[?(\d{4})\b)?/g;
const FILES = /\bdecisions\/(\d{4})\b/g;
const WHY = /\bwhy: ([a-z0-9-]+\.md)((?:,? "[^"]+")*)/g;

/** Reads the citations of a source file. A line break of a comment counts as a space. */
export function citationsOf(text: string): readonly Citation[] {
  const prose = text.replaceAll(/\n\s*(?:\*|\/\/|#)\s?/g, ' ');
  const ids = [...prose.matchAll(DECISIONS), ...prose.matchAll(FILES)].flatMap(([, ...found]) =>
    found.flatMap((id) => (id === undefined ? [] : [{ kind: 'decision', id } as const])),
  );
  const notes = [...prose.matchAll(WHY)].flatMap(([, page = '', quoted = '']) => {
    const headings = [...quoted.matchAll(/"([^"]+)"/g)].map(([, heading]) => heading);
    return (headings.length === 0 ? [undefined] : headings).map((heading) => ({ kind: 'why', page, heading }) as const);
  });
  return [...ids, ...notes];
}

/** Pages of notes by name, with the anchors of their headings. */
export type NotePages = ReadonlyMap<string, ReadonlySet<string>>;

/** The anchors of the headings of a page. */
export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => headingSlug(heading)));

/** Records that may be cited, and the places of numbers that may not. */
export type Citable = Readonly<{
  accepted: ReadonlySet<string>;
  moved: ReadonlyMap<string, string>;
  notes: NotePages;
}>;

/** Returns the fault of a citation, with its remedy. Undefined if it leads somewhere. */
export function citationProblem(citation: Citation, { accepted, moved, notes }: Citable): string | undefined {
  if (citation.kind === 'decision') {
    if (accepted.has(citation.id)) return undefined;
    const now = moved.get(citation.id);
    return now === undefined ? `decision ${citation.id} does not exist` : `decision ${citation.id} is now ${now}`;
  }
  const { page, heading } = citation;
  const anchors = notes.get(page);
  if (anchors === undefined) return `docs/why/${page} does not exist`;
  return heading === undefined || anchors.has(headingSlug(heading))
    ? undefined
    : `docs/why/${page} has no heading "${heading}"`;
}
