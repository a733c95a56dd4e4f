/**
 * Part of `make verify`: measures the English of comments, messages and titles of tests by grammar, for each
 * folder that has a budget. Run by Node itself: it strips the types, so that no build is needed. With the
 * names of folders it prints the passages to rewrite instead.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BUDGETS, type Budget } from './budgets.ts';
import { badStarts, measure } from './measures.ts';
import { type Passage, type Prose, proseOfSource } from './prose-of.ts';

type Source = Readonly<{ path: string; prose: Prose }>;

const SPEC = /\.spec\.tsx?$/;
/** Titles count in specs and in all of `test`, including its stories and contracts. */
const TESTED = /\.spec\.tsx?$|^test\//;

/** Keeps only the titles of a spec. Other files have no titles, unless they are in `test`. */
const countedOf = (path: string, prose: Prose): Prose => ({
  ...(SPEC.test(path) ? { docstrings: [], comments: [], messages: [] } : prose),
  titles: TESTED.test(path) ? prose.titles : [],
});

const sourcesOf = (folder: string): readonly Source[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/node_modules/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, prose: countedOf(path, proseOfSource(readFileSync(path, 'utf8'))) }));

/** Reports each measure of a folder that is over its budget. */
export function overBudget(prose: readonly Prose[], budget: Budget): string[] {
  const docstrings = prose.flatMap((one) => one.docstrings);
  const starts = badStarts(docstrings).length;
  const measured = {
    docstrings: measure(docstrings).relatives,
    comments: measure(prose.flatMap((one) => one.comments)).relatives,
    messages: measure(prose.flatMap((one) => one.messages)).relatives,
    titles: measure(prose.flatMap((one) => one.titles)).relatives,
  };
  const kinds = ['docstrings', 'comments', 'messages', 'titles'] as const;
  return [
    ...(starts > budget.starts
      ? [`${starts} docstrings begin with What, Whether, Where, Of or Who (at most ${budget.starts})`]
      : []),
    ...kinds
      .filter((kind) => measured[kind] > budget[kind])
      .map((kind) => `${kind}: ${measured[kind].toFixed(2)} relative words for 100 words (at most ${budget[kind]})`),
  ];
}

const hasRelative = ({ text }: Passage): boolean => measure([{ line: 0, text }]).relatives > 0;

function printPassages(folder: string): void {
  for (const { path, prose } of sourcesOf(folder)) {
    const starts = new Set(badStarts(prose.docstrings));
    for (const passage of [...prose.docstrings, ...prose.comments, ...prose.messages, ...prose.titles]) {
      if (starts.has(passage) || hasRelative(passage)) {
        console.log(`${path}:${passage.line}: ${passage.text.replaceAll(/\s+/g, ' ')}`);
      }
    }
  }
}

function main(folders: readonly string[]): void {
  for (const folder of folders) printPassages(folder);
  if (folders.length > 0) return;
  for (const [folder, budget] of Object.entries(BUDGETS)) {
    const problems = overBudget(
      sourcesOf(folder).map(({ prose }) => prose),
      budget,
    );
    for (const problem of problems) console.error(`${folder}: ${problem}`);
    if (problems.length > 0) {
      console.error(`${folder}: node scripts/english/check-english.ts ${folder} prints the passages`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
