import { ExitCode } from '../../../apps/cli/src/terminal/io.js';
import { commandManuals } from '../../distribution/command-texts.js';
import { markdownTable } from './markdown-table.js';

/** In the words of `flotilla --help`. */
const MEANING: Readonly<Record<keyof typeof ExitCode, string>> = {
  done: 'done, or the answer is yes',
  no: 'the answer is no, such as an object, package or version that is not there',
  badInput: 'bad input or usage; nothing was done',
  remoteFailed: 'a cluster, a hub or a registry failed or did not answer',
};

/** The paragraph of a verb's help about its exit codes. */
const codesOf = (more: string): string =>
  more.split(/\n\s*\n|\n(?=Exit codes?\b)/).find((paragraph) => /^Exit codes?\b/.test(paragraph)) ?? '';

/** The page about exit codes. */
export function exitCodesPage(): string {
  const codes = Object.entries(ExitCode).map(([name, value]) => [
    String(value),
    MEANING[name as keyof typeof ExitCode],
  ]);
  const own = commandManuals()
    .map(({ path, more }) => [`\`flotilla ${path.join(' ')}\``, codesOf(more)])
    .filter(([, text]) => text !== '');
  return [
    '# Exit codes',
    'Every verb ends with one of four. Made from the command itself; the `verdict` of `-o json` goes with it ([answers as data](../docs/command-json.md)).',
    markdownTable(['Code', 'Meaning'], codes),
    '## What verbs say of theirs',
    markdownTable(
      ['Verb', 'In its help'],
      own.map((row) => row.map(String)),
    ),
    '`flotilla opm …` ends with 1 after every failure, as opm does.',
  ].join('\n\n');
}
