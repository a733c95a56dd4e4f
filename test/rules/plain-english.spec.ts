import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Words that have a plain one in their place: desired state, delayed job, detector, and the name of who acts. */
const WORDS = /\b(wish|wishes|wished|alarms?|lookouts?|somebody|nobody|whoever)\b/i;

const pagesIn = (folder: string): string[] =>
  readdirSync(join(PROJECT_ROOT, folder))
    .filter((name) => /\.(md|ya?ml)$/.test(name))
    .map((name) => join(folder, name));
const PAGES = ['README.md', ...pagesIn('docs'), ...pagesIn('examples'), ...pagesIn('examples/manifests')];

/** Folders whose texts users read in conditions, answers and settings. */
const TEXTS = [
  'libs/core/src/fleet/diagnosis',
  'libs/platform/src/config',
  'apps/cli/src/up',
  'apps/cli/src/live',
].flatMap((folder) =>
  readdirSync(join(PROJECT_ROOT, folder))
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
    .map((name) => join(folder, name)),
);

const read = (path: string): string[] => readFileSync(join(PROJECT_ROOT, path), 'utf8').split('\n');
const found = (path: string, texts: (line: string) => readonly string[]): string[] =>
  read(path).flatMap((line, index) =>
    texts(line).some((text) => WORDS.test(text)) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
  );

/** The words of a page outside code and paths. */
const prose = (line: string): readonly string[] => [line.replaceAll(/`[^`]*`|\[\^[^\]]*\]/g, '')];
/** String literals of a line of code that are sentences or parts of one. */
const literals = (line: string): readonly string[] =>
  /^\s*(\/\/|\/?\*|import )/.test(line)
    ? []
    : (line.match(/'[^']*'|`[^`]*`/g) ?? [])
        .map((text) => text.replaceAll(/\$\{[^}]*\}/g, ''))
        .filter((text) => text.includes(' '));

it.each(PAGES)('%s is in plain English', (path) => {
  expect(found(path, prose)).toEqual([]);
});

it('texts of the command, of diagnoses and of settings are in plain English', () => {
  expect(TEXTS.flatMap((path) => found(path, literals))).toEqual([]);
});
