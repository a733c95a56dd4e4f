import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { findingsIn } from '../../scripts/plain-english.js';

it.each([
  { path: 'libs/core/src/a.ts', text: '/** What the user wishes. */', what: '"wishes"' },
  { path: 'libs/core/src/a.ts', text: '  // A mirror of the cluster.', what: '"mirror"' },
  { path: 'libs/core/src/a.ts', text: 'const a = 1; // nobody reads it', what: '"nobody"' },
  { path: 'test/story/a.ts', text: '/** The stage of a story. */', what: '"stage"' },
  { path: 'docs/a.md', text: 'The poller looks at the catalog.', what: '"looks"' },
  { path: 'k8s/a.yaml', text: '# Whoever reads this.', what: '"Whoever"' },
  { path: 'libs/core/src/a.ts', text: `// ${'word '.repeat(30)}`.trim(), what: '152 columns' },
  { path: 'libs/core/src/a.spec.ts', text: "  it('tells what it did', () => {", what: '"tells"' },
  { path: 'libs/core/src/a.spec.ts', text: "describe.concurrent('a wish', () => {", what: '"wish"' },
  { path: 'libs/core/src/a.spec.ts', text: "it.each(cases)('is looked at: %s', () => {", what: '"looked"' },
  { path: 'test/story/a.ts', text: '  ] as const)(`$how asks nobody`, () => {', what: '"nobody"' },
  { path: 'libs/core/src/a.ts', text: 'export async function lookAgain(): Promise<void> {', what: '"look"' },
  { path: 'libs/core/src/a.ts', text: 'export const MOST_WISHES = 1;', what: '"WISHES"' },
])('finds $what in $path', ({ path, text, what }) => {
  expect(findingsIn(path, `\n${text}\n`)).toEqual([{ line: 2, what, better: expect.any(String) }]);
});

it.each([
  { path: 'libs/core/src/a.ts', text: "const text = 'whoever looks';", because: 'code and its texts are not comments' },
  { path: 'libs/core/src/a.spec.ts', text: "it('says so', () => expect(told()));", because: 'the title is plain' },
  { path: 'libs/core/src/a.spec.ts', text: "it('looks up `wishes`', async () => {", because: 'both are ordinary' },
  { path: 'libs/core/src/a.ts', text: '// Looked up by name; `wishes` is a field.', because: 'both are ordinary' },
  { path: 'libs/core/src/a.ts', text: '// Feature gates that users can tell apart.', because: 'both are ordinary' },
  { path: 'libs/core/src/a.ts', text: 'export type FeatureGates = string;', because: 'that is its term' },
  { path: 'libs/platform/src/registry/a.ts', text: '// A mirror of the registry.', because: 'that is its term' },
  { path: 'docs/a.md', text: '```\n$ flotilla tells nobody\n```', because: 'it is output' },
])('accepts $text, since $because', ({ path, text }) => {
  expect(findingsIn(path, text)).toEqual([]);
});

/** Words that users should not meet in conditions, answers and settings. */
const WORDS = /\b(wish|wishes|wished|alarms?|lookouts?|somebody|nobody|whoever)\b/i;

/** Folders with texts for users. */
const TEXTS = ['libs/core/src/cluster/diagnosis', 'libs/platform/src/config', 'apps/cli/src'].flatMap((folder) =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
    .map((name) => join(folder, name)),
);

/** String literals of a line of code that are sentences or parts of one. */
const literals = (line: string): readonly string[] =>
  /^\s*(\/\/|\/?\*|import )/.test(line)
    ? []
    : (line.match(/'[^']*'|`[^`]*`/g) ?? [])
        .map((text) => text.replaceAll(/\$\{[^}]*\}/g, ''))
        .filter((text) => text.includes(' '));

it.each(TEXTS)('%s has texts in plain English', (path) => {
  const lines = readFileSync(join(PROJECT_ROOT, path), 'utf8').split('\n');
  expect(lines.filter((line) => literals(line).some((text) => WORDS.test(text)))).toEqual([]);
});
