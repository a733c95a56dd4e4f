/**
 * Part of `make verify`: finds words in comments, pages, titles of tests and exported names that have a
 * plainer one, and comment lines over 110 columns. Run by Node itself: it strips the types, so that no build
 * is needed.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Finding = Readonly<{ line: number; what: string; better: string }>;
type Rule = Readonly<{ word: RegExp; better: string; only?: RegExp }>;

const TESTS = /^(test|bench|apps\/cli\/src\/commands\/demo)\//;
/**
 * Gates and the standing rollout are terms of the fleet kinds: fields, reasons and phases have these names.
 */
const NOT_FLEET =
  /^(?!libs\/core\/src\/(kernel\/api\/fleet|cluster|rollout|view)\/|libs\/(platform|lifecycle)\/src\/(fleet|rollouts|clusters)\/|apps\/cli\/src\/commands\/fleet\/|docs\/(fleet|why\/fleet|settings|decisions\/(018|034|035|README))|test\/.*fleet)/;
const RULES: readonly Rule[] = [
  { word: /\bwish(es|ed)?\b/i, better: 'desired state' },
  { word: /\b(told|tells?|telling)\b/i, better: 'report, emit an event, set a condition; distinguish' },
  { word: /\blook(s|ed|ing)?\b/i, better: 'pass, poll, check, read' },
  {
    word: /\bmirror(s|ed|ing)?\b/i,
    better: 'cache, copy',
    only: /^(libs\/(core|lifecycle)|libs\/platform\/src\/kube)\//,
  },
  { word: /\bstanding\b/i, better: 'status', only: NOT_FLEET },
  { word: /\balarms?\b/i, better: 'delayed job' },
  { word: /\bgates?\b/i, better: 'limiter', only: NOT_FLEET },
  { word: /\blookouts?\b/i, better: 'detector' },
  { word: /\b(come|comes|came|coming) as far\b/i, better: 'reached the resourceVersion' },
  { word: /\b(let|lets|letting) (\w+ )?go\b/i, better: 'release' },
  { word: /\b(somebody|someone|nobody|whoever|anybody)\b/i, better: 'the name of who acts: user, API server, OLM' },
  { word: /\b(scenes?|tales?|chapters?)\b/i, better: 'fixture, log, step' },
  { word: /\b(stages?|struck|strikes?)\b/i, better: 'environment, stop', only: TESTS },
];

/**
 * Ordinary meanings, terms of the field, and text that is no prose: removed before words are searched for.
 */
const ORDINARY: readonly RegExp[] = [
  /`[^`]*`/g,
  /\[\^[^\]]*\]|\]\([^)]*\)/g,
  /\{@link [^}]*\}/g,
  /"[^"]*"|“[^”]*”/g,
  /\blook(s|ed|ing)? (up|for|like|around|ahead)\b/gi,
  /\blook-?ahead\b/gi,
  /\b(tell|tells|told) (\w+ ){0,3}apart\b/gi,
  /\b(feature|extension) gates?\b/gi,
];

/** Pages with OLM's own texts or recorded output, and this list itself. */
const EXEMPT = /^(docs\/spec\/|test\/vectors\/|(scripts\/plain-english|test\/rules\/plain-english\.spec)\.ts$)/;
const MOST_COLUMNS = 110;

const TREES = ['libs', 'apps', 'scripts', 'bench', 'test'].map((root) => `${root}/**/*.ts`);
const PAGES = [
  '*.md',
  '{docs,changes,examples,bench,k8s,apps,libs,test}/**/*.md',
  '{examples,k8s}/**/*.{yaml,yml}',
  '*.yml',
];

/** The comment on a line of code; a page is prose from beginning to end. */
function proseOf(path: string, line: string): string | undefined {
  if (path.endsWith('.md')) return line;
  if (!path.endsWith('.ts')) return /^\s*#(.*)/.exec(line)?.[1];
  return /^\s*(?:\/\/|\/\*\*?|\*(?=[\s/]))(.*)/.exec(line)?.[1] ?? /[;,{}()]\s\/\/ (.*)/.exec(line)?.[1];
}

/** The rule for each word of a text that has a plainer one. */
const plainer = (path: string, text: string): readonly Omit<Finding, 'line'>[] => {
  const prose = ORDINARY.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text);
  return RULES.filter(({ only }) => only === undefined || only.test(path)).flatMap(({ word, better }) => {
    const found = word.exec(prose);
    return found === null ? [] : [{ what: `"${found[0]}"`, better }];
  });
};

/** Files with tests. */
const TESTED = /(\.(spec|contract|conformance)\.ts$|^test\/)/;

/** The first argument of `it(` and `describe(`, of their `.each(names)(` and of the end of a table, `])(`. */
const TITLE = /(?:\b(?:describe|it|test)\b[^\n'"`]*|[\])}](?: as const)?\))\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g;

/** Returns the faults in the titles of the tests of a file. */
function titleFindings(path: string, text: string): Finding[] {
  if (!TESTED.test(path)) return [];
  return [...text.matchAll(TITLE)].flatMap(({ index, 0: { length }, 2: title = '' }) => {
    const line = text.slice(0, index + length).split('\n').length;
    return plainer(path, title).map((one) => ({ line, ...one }));
  });
}

const EXPORTED = /^export (?:abstract |async )*(?:const|class|enum|function\*?|interface|let|type) (\w+)/gm;

/** Returns the faults in the names that a file exports: `lookAgain` is read as “look again”. */
function nameFindings(path: string, text: string): Finding[] {
  if (!path.endsWith('.ts')) return [];
  return [...text.matchAll(EXPORTED)].flatMap(({ index, 1: name = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    const words = name.replaceAll(/[a-z0-9](?=[A-Z])/g, '$& ').replaceAll('_', ' ');
    return plainer(path, words).map((one) => ({ line, ...one }));
  });
}

/** Returns the faults of one file. */
export function findingsIn(path: string, text: string): Finding[] {
  const found = [...proseFindings(path, text), ...titleFindings(path, text), ...nameFindings(path, text)];
  return found.sort((a, b) => a.line - b.line);
}

/** Returns the faults in the comments of a file, or in a page. */
function proseFindings(path: string, text: string): Finding[] {
  let fenced = false;
  return text.split('\n').flatMap((content, index) => {
    const line = index + 1;
    if (path.endsWith('.md') && /^\s*```/.test(content)) fenced = !fenced;
    const raw = fenced ? undefined : proseOf(path, content);
    if (raw === undefined) return [];
    const words = plainer(path, raw).map((one) => ({ line, ...one }));
    const isLong = path.endsWith('.ts') && /^\s*(\/\/|\/?\*)/.test(content) && content.trimEnd().length > MOST_COLUMNS;
    return isLong ? [...words, { line, what: `${content.length} columns`, better: `${MOST_COLUMNS} at most` }] : words;
  });
}

function main(): void {
  const paths = globSync([...TREES, ...PAGES], { exclude: ['**/node_modules/**', 'dist/**'] });
  const lines = paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !EXEMPT.test(path))
    .sort()
    .flatMap((path) => findingsIn(path, readFileSync(path, 'utf8')).map((one) => ({ path, ...one })))
    .map(({ path, line, what, better }) => `${path}:${line}: ${what}; better: ${better}`);
  for (const line of lines) console.error(line);
  if (lines.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
