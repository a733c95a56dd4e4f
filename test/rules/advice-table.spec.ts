import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Folders with texts of conditions, events, statuses, diagnoses, answers and errors. */
const FOLDERS = [
  ...['libs/core/src', 'libs/lifecycle/src', 'libs/platform/src'],
  ...[
    'apps/applier/src',
    'apps/catalog-poller/src',
    'apps/resolver-worker/src',
    'apps/fleet-controller/src',
    'apps/notifier/src',
    'apps/cli/src',
  ],
];
/** Advice of a hub or a diagnosis, carried out by test/advice, and the next steps in the command's output. */
const TABLE = 'libs/core/src/cluster/advice/advice.ts';
const COMMAND_TABLE = 'apps/cli/src/output/next-commands.ts';
/**
 * Help texts, whose examples are no advice, the words and commands of other tools, and the descriptions of
 * settings.
 */
const HELP =
  /^(?:apps\/cli\/src\/(?:empty-program|commands\/help\/verbs-of-others|clusters\/cluster-options)|libs\/platform\/src\/config\/(?:managed-|redis-)?settings(?:-page)?)\.ts: /;
/** A file of a verb is help, except for its errors and output. */
const VERB = /^apps\/cli\/src\/commands\/\S+\.command\.ts: (?!.*(?:Error\(|io\.(?:out|err)\())/;
/**
 * The command that messages of InstallPlans and events name, too; the cases of the advices replanCorrected,
 * replanOverCopy and installAgain carry it out.
 */
const REPLAN = 'libs/core/src/classic/install-plan/execution/replan-command.ts';
/** Explanations of a failed resolution advise in prose, next to their rules. */
const RESOLUTION = 'libs/core/src/classic/resolution/explain/advice.ts';
/** The sentence about a hub that runs begins with its name, and advises no command. */
const RUNNING = 'libs/core/src/cluster/joining/lock-holder.ts';
/** In double quotes stands the name of a verb, not a command. */
const COMMAND =
  /(?<!"[^"]*)(?:^|[`': (])(?:kubectl (?:-n \S+ )?(?:annotate|apply|create|delete|edit|get|label|patch)|flotilla (?:approve|bundle|catalog|clusters|crd|explain|get|health|plan|resolve|fleet|retry|status|up))\b/;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

const linesOf = (folder: string): string[] =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
    .flatMap((name) => {
      const file = `${folder}/${name}`;
      const lines = readFileSync(join(PROJECT_ROOT, file), 'utf8').split('\n');
      return lines.filter((line) => !COMMENT.test(line) && COMMAND.test(line)).map((line) => `${file}: ${line.trim()}`);
    });

it('every command that the hub or the command advises stands in one of the two tables', () => {
  const found = FOLDERS.flatMap(linesOf);
  const inTable = (table: string) => found.filter((line) => line.startsWith(`${table}:`));
  expect(inTable(TABLE).length).toBeGreaterThan(20);
  expect(inTable(COMMAND_TABLE).length).toBeGreaterThan(10);
  const advised = found.filter((line) => !HELP.test(line) && !VERB.test(line));
  const elsewhere = advised.filter(
    (line) => ![TABLE, COMMAND_TABLE, RESOLUTION, REPLAN, RUNNING].some((table) => line.startsWith(`${table}:`)),
  );
  expect(inTable(REPLAN)).toHaveLength(1);
  expect(elsewhere).toEqual([]);
});
