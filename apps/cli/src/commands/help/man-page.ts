import { wrappedHelp } from '../../terminal/wrapped-help.js';
import type { ManualTerm, VerbManual } from './verb-manual.js';

/** Name of the page of a verb without its section, such as `flotilla-catalog-validate`. */
export const manPageName = ({ path }: VerbManual): string => ['flotilla', ...path].join('-');

/** The facts that all pages share. */
type ManPageFacts = Readonly<{ version: string }>;

/**
 * The page of section 1 of a verb, in the macros of man(7). The same manual gives the same bytes: a page
 * names the version and no day.
 */
export function manPage(manual: VerbManual, { version }: ManPageFacts): string {
  const name = manPageName(manual);
  return `${[
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`Flotilla ${version}`)} "Flotilla"`,
    '.SH NAME',
    `${text(name)} \\- ${text(manual.summary)}`,
    '.SH SYNOPSIS',
    `.B ${text(manual.usage)}`,
    ...terms('OPERANDS', manual.operands),
    ...terms('VERBS', manual.verbs),
    ...terms('OPTIONS', manual.options),
    ...more(manual.more),
    '.SH SEE ALSO',
    seeAlso(manual),
  ].join('\n')}\n`;
}

const terms = (heading: string, all: readonly ManualTerm[]): readonly string[] =>
  all.length === 0
    ? []
    : [
        `.SH ${heading}`,
        ...all.flatMap(({ term, description }) => ['.TP', `.B ${text(term)}`, text(description) || '\\&']),
      ];

const EXAMPLES = 'Examples:';

/** Columns of a terminal of 80 behind the margin of man. */
const WIDTH = 72;

/**
 * Returns the notes and examples. Tables and examples keep their lines; other lines that are too wide are
 * filled again.
 */
function more(textAfter: string): readonly string[] {
  const [notes = '', examples] = textAfter.split(new RegExp(`(?:^|\n)${EXAMPLES}\n`));
  return [...verbatim('NOTES', wrappedHelp(notes, WIDTH)), ...verbatim('EXAMPLES', examples ?? '')];
}

const verbatim = (heading: string, content: string): readonly string[] =>
  content.trim() === '' ? [] : [`.SH ${heading}`, '.nf', ...trimmed(content).split('\n').map(text), '.fi'];

/** Removes empty lines at both ends. */
const trimmed = (content: string): string => content.replace(/^\n+/, '').trimEnd();

function seeAlso({ path, verbs }: VerbManual): string {
  const above = path.length === 0 ? [] : [path.slice(0, -1)];
  const below = verbs.map(({ term }) => [...path, term]);
  const pages = [...above, ...below].map((words) => `.BR ${text(['flotilla', ...words].join('-'))} (1)`);
  return pages.join(' ,\n');
}

/** Escapes a text, so that roff finds no request and no escape of its own in it. */
const text = (plain: string): string =>
  plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');

const quoted = (plain: string): string => `"${text(plain).replaceAll('"', '\\(dq')}"`;
