import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const MOST_LINES = 60;

const files = globSync('{libs,apps,scripts,bench,test}/**/*.{ts,tsx}', { cwd: PROJECT_ROOT })
  .filter((path) => !path.includes('node_modules'))
  .sort();

const CONTROL = /^(\} )?(else|if|for|while|switch|try|catch|finally|do)\b|^(export )?(abstract )?class\b/;
const CLOSES = /^[)}\]]/;
const CLOSES_TABLE = /^(\]|[)}]+\()/;
const OPENS_BODY = /(=>( [({[]+)?|\)(: .+)? \{)$/;
const TESTS = /^(it|describe)\b/;

type Line = Readonly<{ text: string; indent: number }>;

/** The lines of code; comments and blank lines do not count. */
const linesOf = (source: string): readonly Line[] =>
  source
    .split('\n')
    .filter((line) => !/^\s*(\/\/.*|\/?\*.*)?$/.test(line))
    .map((line) => ({ text: line.trim(), indent: line.search(/\S/) }));

/** Returns the beginning of a function: above its parameters, but below the table of its tests. */
function headOf(lines: readonly Line[], opener: number, { text, indent }: Line): number {
  if (!CLOSES.test(text) || CLOSES_TABLE.test(text)) return opener;
  return lines.findLastIndex((line, at) => at < opener && line.indent === indent && !CLOSES.test(line.text));
}

/** Returns the line after the function. Its last line may close brackets at the indentation of the first. */
function endOf(lines: readonly Line[], opener: number, { indent }: Line): number {
  const after = lines.findIndex((line, at) => at > opener && line.indent <= indent);
  if (after === -1) return lines.length;
  return CLOSES.test(lines[after]?.text ?? '') ? after + 1 : after;
}

/**
 * The functions of a source with more lines than allowed, by their first line. The formatter puts the first
 * and the last line of a function at one indentation, so no parser is needed. A function that holds tests is
 * a suite: its tests count, it does not.
 */
function longFunctions(source: string, most: number): readonly string[] {
  const lines = linesOf(source);
  return lines.flatMap((line, opener) => {
    if (!OPENS_BODY.test(line.text)) return [];
    const [head, end] = [headOf(lines, opener, line), endOf(lines, opener, line)];
    const first = lines[head]?.text ?? '';
    if (CONTROL.test(first) || end - head <= most) return [];
    return lines.slice(opener + 1, end).some(({ text }) => TESTS.test(text)) ? [] : [first];
  });
}

const statements = (count: number) => Array.from({ length: count }, (_, at) => `  use(${at});\n`).join('');

it.each([
  { name: 'function go(): void {', end: '}' },
  { name: 'const go = () => {', end: '};' },
  { name: 'function go(\n  text: string,\n): void {', end: '}' },
  { name: 'function go({\n  text,\n}: Options): Promise<void> {', end: '}' },
])('finds a function that begins with $name', ({ name, end }) => {
  const around = name.split('\n').length + 1;
  expect(longFunctions(`${name}\n${statements(60 - around)}${end}\n`, 60)).toEqual([]);
  expect(longFunctions(`${name}\n  // A comment.\n\n${statements(60 - around)}${end}\n`, 60)).toEqual([]);
  expect(longFunctions(`${name}\n${statements(61 - around)}${end}\n`, 60)).toEqual([name.split('\n')[0]]);
});

it('finds a function whose body is an expression', () => {
  expect(longFunctions(`const go = () =>\n${statements(60)}const next = 1;\n`, 60)).toEqual(['const go = () =>']);
  expect(longFunctions(`const go = () =>\n${statements(59)}const next = 1;\n`, 60)).toEqual([]);
});

it('does not count the table of a test', () => {
  const table = `it.each([\n${statements(70)}])('does %s', (what) => {`;
  expect(longFunctions(`${table}\n${statements(58)}});\n`, 60)).toEqual([]);
  expect(longFunctions(`${table}\n${statements(59)}});\n`, 60)).toHaveLength(1);
});

it('counts the tests of a suite, not the suite', () => {
  const test = `  it('does so', () => {\n${statements(20).replaceAll(/^/gm, '  ').trimEnd()}\n  });\n`;
  expect(longFunctions(`describe('a thing', () => {\n${test.repeat(4)}});\n`, 60)).toEqual([]);
  expect(longFunctions(`describe('a thing', () => {\n${test.repeat(4)}});\n`, 20)).toHaveLength(4);
});

it(`no function has more than ${MOST_LINES} lines`, () => {
  const found = files.flatMap((path) =>
    longFunctions(readFileSync(join(PROJECT_ROOT, path), 'utf8'), MOST_LINES).map((first) => `${path}: ${first}`),
  );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(1_000);
});
