import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { commandManuals } from '../../scripts/distribution/command-texts.js';
import { NOT_PLAYED, PLAYED, PLAYED_OF_RELEASE } from '../guide/commands-elsewhere.js';
import { type PageCommand, pageCommands, shapeOf } from '../guide/page-commands.js';
import { readGuide } from '../guide/read-guide.js';

const PAGES = globSync(['README.md', 'docs/*.md', 'examples/**/README.md'], { cwd: PROJECT_ROOT }).sort();
const manuals = new Map(commandManuals().map((manual) => [manual.path.join(' '), manual]));
const GLOBAL = ['--help', '--debug', '--version'];

/** Returns the command lines of `flotilla` in a page: in code blocks, with joined lines, and in its text. */
function commandsIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[^\n]*\n.*?^```/gms, '');
  const quoted = [...prose.matchAll(/`flotilla ([a-z-][^`]*)`/g)].map(([, line = '']) => line.replaceAll(/\s+/g, ' '));
  const blocks = [...text.matchAll(/^```[^\n]*\n(.*?)^```/gms)].map(([, block = '']) => block);
  const lines = blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .flatMap((line) => /^(?:\$ )?flotilla (-?[a-z-].*?)(?:\s+(?:#|\||>|&|<).*)?$/.exec(line)?.[1] ?? []);
  return [...lines, ...quoted.map((line) => line.replace(/\s+(?:\||>|&|<).*$/, ''))];
}

/** Returns the first unknown verb or option of a line. */
function unknownIn(line: string): string | undefined {
  const words = line.split(/\s+/);
  const plain = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const path = words.slice(0, plain < 0 ? words.length : plain);
  while (path.length > 0 && !manuals.has(path.join(' '))) path.pop();
  const manual = manuals.get(path.join(' '));
  if (manual === undefined || (path.length === 0 && !/^--/.test(words[0] ?? ''))) return `no verb in "${line}"`;
  if (path[0] === 'opm') return undefined;
  const operand = words[path.length] ?? '-';
  if (!operand.startsWith('-') && !/[<[]/.test(manual.usage.replace('[options]', ''))) {
    return manual.verbs.length > 0 ? `no verb in "${line}"` : `no ${operand} in "${line}"`;
  }
  const known = manual.options.flatMap(({ term }) => term.match(/--?[A-Za-z][a-z-]*/g) ?? []);
  const options = words.flatMap((word) => /^(--[a-z][a-z-]*|-[A-Za-z])(?:=|$)/.exec(word)?.[1] ?? []);
  const strange = options.find((option) => ![...known, ...GLOBAL].includes(option));
  return strange === undefined ? undefined : `no ${strange} in "${line}"`;
}

const RUNNERS = ['test/{integration,e2e}/**/*.spec.ts', 'apps/cli/src/**/*-page.spec.ts'];
const specs = globSync(RUNNERS, { cwd: PROJECT_ROOT }).map((path) => readFileSync(join(PROJECT_ROOT, path), 'utf8'));

it.each(PAGES.filter((page) => readGuide(readFileSync(join(PROJECT_ROOT, page), 'utf8')).length > 0))(
  '%s has commands that begin with "$", and a test that runs them',
  (page) => {
    const names = [`'${page}'`, `'${page.replace(/^docs\//, '')}'`];
    const readers = specs.filter(
      (spec) => names.some((name) => spec.includes(name)) && /readGuide|runFlotilla/.test(spec),
    );
    expect(readers).not.toEqual([]);
  },
);

it('finds commands on the pages', () => {
  const found = PAGES.flatMap((page) => commandsIn(readFileSync(join(PROJECT_ROOT, page), 'utf8')));
  expect(found.length).toBeGreaterThan(80);
});

it.each(PAGES)('%s names verbs and options of flotilla that exist', (page) => {
  const lines = commandsIn(readFileSync(join(PROJECT_ROOT, page), 'utf8'));
  expect(lines.flatMap((line) => unknownIn(line) ?? [])).toEqual([]);
});

it.each([
  { line: 'catalog validate ./catalog', because: undefined },
  { line: 'get csvs -n team -o wide', because: undefined },
  { line: 'catalog validat ./catalog --strict', because: 'no --strict in' },
  { line: 'catalogue validate', because: 'no verb in' },
  { line: 'clusters check east', because: 'no east in' },
  { line: 'get csvs --namespaces team', because: 'no --namespaces in' },
])('$line: $because', ({ line, because }) => {
  if (because === undefined) expect(unknownIn(line)).toBeUndefined();
  else expect(unknownIn(line)).toContain(because);
});

describe('every command of every page', () => {
  const commands = PAGES.flatMap((page) => pageCommands(page, readFileSync(join(PROJECT_ROOT, page), 'utf8')));
  const followed = commands.filter(({ isFollowed }) => isFollowed);
  const shapes = new Set(followed.map(({ command }) => shapeOf(command)));
  const ALL_PLAYED = [...PLAYED, ...PLAYED_OF_RELEASE];
  const isPlayed = ({ page, command }: PageCommand) =>
    ALL_PLAYED.some(([of, begin]) => of === page && command.startsWith(begin));
  const isSame = ({ command }: PageCommand) => command.startsWith('flotilla ') && shapes.has(shapeOf(command));
  const others = commands.filter((one) => !one.isFollowed && !isPlayed(one) && !isSame(one));
  const rowOf = ({ command }: PageCommand) => NOT_PLAYED.find(({ begin }) => begin.test(command));

  it('is followed, or played on a simulated hub, or the same as one that is but for names, or has a reason', () => {
    expect(others.filter((one) => rowOf(one) === undefined).map(({ page, command }) => `${page}: ${command}`)).toEqual(
      [],
    );
    const list = others.map((one) => `  ${one.page}:${one.line} ${one.command}: ${rowOf(one)?.because}`);
    console.info(`${commands.length} commands of pages; not run from the page (${others.length}):\n${list.join('\n')}`);
  });

  it('that is not played has another test, and each reason and each part is needed', () => {
    expect(NOT_PLAYED.filter(({ instead }) => !existsSync(join(PROJECT_ROOT, instead)))).toEqual([]);
    expect(NOT_PLAYED.filter((row) => !others.some((one) => rowOf(one) === row))).toEqual([]);
    expect(
      ALL_PLAYED.filter(([page, begin]) => !commands.some((one) => one.page === page && one.command.startsWith(begin))),
    ).toEqual([]);
    expect(followed.length).toBeGreaterThan(150);
  });

  it('has a shape without names', () => {
    expect(shapeOf('flotilla clusters handover east --from olm --dry-run')).toBe(
      shapeOf('flotilla clusters handover prod-eu --context prod-eu --from olm --dry-run'),
    );
    expect(shapeOf('flotilla clusters handover east --to olm')).not.toBe(shapeOf('flotilla clusters pause east'));
  });
});
