/** One command of a page, and its lines of output on the page; empty if the page has none. */
export type GuideStep = Readonly<{ line: number; command: string; expected: readonly string[] }>;

const BLOCK = /^```(\w*)\n(.*?)^```$/gms;

/**
 * Returns the commands of a Markdown page in order. In code blocks without a language each line that begins
 * with `$ ` is one; the lines up to the next are its output. A command continues after a backslash, and up to
 * the end of a here-document. With `from`, only the text after it counts.
 */
export const readGuide = (markdown: string, from = ''): GuideStep[] =>
  [...markdown.matchAll(BLOCK)].flatMap(({ 1: language, 2: block = '', index }) => {
    if (language !== '' || index < markdown.indexOf(from)) return [];
    return stepsOf(block.trimEnd().split('\n'), markdown.slice(0, index).split('\n').length + 1);
  });

function stepsOf(lines: readonly string[], firstLine: number): GuideStep[] {
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []));
  return starts.map((start, which) => {
    const own = lines.slice(start, starts[which + 1]);
    const length = commandLength(own);
    return {
      line: firstLine + start,
      command: own.slice(0, length).join('\n').slice(2),
      expected: own.slice(length).filter((line) => line !== ''),
    };
  });
}

/** Returns the number of lines of the command itself. */
function commandLength(lines: readonly string[]): number {
  const document = /<<(\w+)/.exec(lines[0] ?? '')?.[1];
  const last = document === undefined ? lines.findIndex((line) => !line.endsWith('\\')) : lines.indexOf(document);
  return last + 1;
}
