import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Where texts of conditions, events, statuses and diagnoses are made. */
const FOLDERS = ['libs/core/src', 'apps/applier/src', 'apps/catalog-poller/src'];
const TABLE = 'libs/core/src/fleet/diagnosis/advice.ts';
/**
 * Messages of InstallPlans and events that name a command themselves. All name `flotilla retry installplan
 * --replan`, which the cases of the advices replanCorrected, replanOverCopy and installAgain carry out.
 */
const NAME_RETRY: readonly string[] = [
  'libs/core/src/classic/install-plan/replace-copy.ts',
  'libs/core/src/classic/install-plan/step-manifest.ts',
  'libs/lifecycle/src/classic/install-plans/referenced-bundles.ts',
];
const COMMAND =
  /(?:^|[`'": ])(?:kubectl (?:-n \S+ )?|flotilla )(?:annotate|apply|approve|create|delete|edit|explain|get|label|patch|retry) \S/;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

const linesOf = (folder: string): string[] =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
    .flatMap((name) => {
      const file = `${folder}/${name}`;
      const lines = readFileSync(join(PROJECT_ROOT, file), 'utf8').split('\n');
      return lines.filter((line) => !COMMENT.test(line) && COMMAND.test(line)).map((line) => `${file}: ${line.trim()}`);
    });

it('every command that the hub advises stands in the table whose entries are carried out', () => {
  const found = FOLDERS.flatMap(linesOf);
  const [inTable, elsewhere] = [true, false].map((own) => found.filter((line) => line.startsWith(`${TABLE}:`) === own));
  expect(inTable?.length).toBeGreaterThan(20);
  const retries = (line: string) =>
    NAME_RETRY.some((file) => line.startsWith(`${file}:`)) && line.includes('flotilla retry installplan');
  expect(elsewhere?.filter((line) => !retries(line))).toEqual([]);
});
