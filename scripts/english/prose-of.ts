/** Prose of one source file or page: the text that its reader meets as English. */
export type Prose = Readonly<{
  /** Documentation comments, one text each. */
  docstrings: readonly Passage[];
  /** Other comments, one text for each run of lines. */
  comments: readonly Passage[];
  /** Messages: string literals of at least four words. */
  messages: readonly Passage[];
  /** Titles of tests, and of the groups that contain them. */
  titles: readonly Passage[];
}>;

export type Passage = Readonly<{ line: number; text: string }>;

/** Removes code in backticks, links and fenced parts: they have words of their own. */
const plain = (text: string): string =>
  text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/^\s*@example\b[\s\S]*$/gm, ' ')
    .replaceAll(/\{@link [^}]*\}/g, 'it')
    .replaceAll(/`[^`]*`/g, 'it')
    .replaceAll(/\]\([^)]*\)/g, ']');

const DOCSTRING = /\/\*\*([\s\S]*?)\*\//g;
const COMMENT_LINES = /(?:^[ \t]*\/\/(?!\/).*\n?)+/gm;
const LITERAL = /(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
const FEWEST_WORDS = 4;

/** The first argument of `it(` and `describe(`, of their `.each(…)(` and of the end of a table, `])(`. */
const TITLE = /(?:\b(?:describe|it|test)\b[^\n'"`]*|[\])}](?: as const)?\))\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g;

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Reads the prose of a `.ts` or `.tsx` file. */
export function proseOfSource(text: string): Prose {
  const docstrings = [...text.matchAll(DOCSTRING)].map(({ index, 1: body = '' }) => ({
    line: lineOf(text, index),
    text: plain(body.replaceAll(/^[ \t]*\*[ \t]?/gm, '')).trim(),
  }));
  const code = text.replaceAll(DOCSTRING, (whole) => whole.replaceAll(/[^\n]/g, ' '));
  const comments = [...code.matchAll(COMMENT_LINES)].map(({ index, 0: body }) => ({
    line: lineOf(code, index),
    text: plain(body.replaceAll(/^[ \t]*\/\/[ \t]?/gm, '')).trim(),
  }));
  const rest = code.replaceAll(COMMENT_LINES, (whole) => whole.replaceAll(/[^\n]/g, ' ')).split('\n');
  const messages = rest.flatMap((content, index) =>
    /^\s*(?:import|export) .* from /.test(content)
      ? []
      : [...content.matchAll(LITERAL)]
          .map(({ 2: body = '' }) => ({ line: index + 1, text: body.replaceAll(/\$\{[^}]*\}/g, 'it') }))
          .filter(({ text: body }) => words(body).length >= FEWEST_WORDS && !/[<>{}=;]/.test(body)),
  );
  const titles = [...code.matchAll(TITLE)].map(({ index, 2: title = '' }) => ({
    line: lineOf(code, index),
    text: title,
  }));
  return { docstrings, comments, messages, titles };
}

/** Words of a text. */
export const words = (text: string): readonly string[] => text.match(/[A-Za-z][A-Za-z’'-]*/g) ?? [];
