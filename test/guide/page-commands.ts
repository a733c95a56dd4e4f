/** A command line in a code block of a page. With `$` before it, a test follows it word for word. */
export type PageCommand = Readonly<{ page: string; line: number; command: string; isFollowed: boolean }>;

const BLOCK = /^```(\w*)\n(.*?)^```$/gms;
const PROGRAM = /^(?:flotilla|kubectl|docker|helm|make|npm|npx|curl|redis-cli) [^ ]/;

/**
 * The commands of a page: lines of blocks without a language, of `sh` and of `text` that begin with a program
 * that readers are to run. A backslash at the end of a line joins lines; a remark at the end is left out.
 */
export const pageCommands = (page: string, markdown: string): PageCommand[] =>
  [...markdown.matchAll(BLOCK)].flatMap(({ 1: language = '', 2: block = '', index }) => {
    if (!['', 'sh', 'text'].includes(language)) return [];
    const first = markdown.slice(0, index).split('\n').length + 1;
    const lines = block.split('\n');
    return lines.flatMap((line, at) => {
      const isContinued = at > 0 && (lines[at - 1] ?? '').endsWith('\\');
      const [, prompt, begin = ''] = /^(\$ )?(.*)$/.exec(line) ?? [];
      // Text without a prompt is the output of a command.
      const isCommand = PROGRAM.test(begin) && !isContinued && (prompt !== undefined || language !== 'text');
      if (!isCommand || /^flotilla \d/.test(begin)) return [];
      const command = joined(begin, lines.slice(at + 1)).replace(/\s+#\s.*$/, '');
      return [{ page, line: first + at, command, isFollowed: prompt !== undefined && language === '' }];
    });
  });

function joined(begin: string, following: readonly string[]): string {
  if (!begin.endsWith('\\')) return begin;
  const [next = '', ...rest] = following;
  return joined(`${begin.slice(0, -1).trimEnd()} ${next.trim()}`, rest);
}

/** Options that only name the place of a command. */
const PLACES = new Set(['--context', '-C', '--kubeconfig', '-n']);

/** Returns the shape of a command of flotilla without its names: the words before names, and the options. */
export function shapeOf(command: string): string {
  const words = command.replace(/ [|>&<].*$/, '').split(/\s+/);
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  const verbs = words.slice(0, firstOption < 0 ? undefined : firstOption).slice(0, 3);
  const isVerb = (word: string) => ['flotilla', 'clusters', 'catalog', 'fleet', 'migrate'].includes(word);
  const path = verbs.slice(0, 1 + verbs.findLastIndex(isVerb) + 1);
  const options = words.flatMap((word) => /^--?[A-Za-z][a-z-]*/.exec(word)?.[0] ?? []);
  return [...path, ...options.filter((option) => !PLACES.has(option)).sort()].join(' ');
}
