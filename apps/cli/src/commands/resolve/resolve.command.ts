import { dirname } from 'node:path';
import type { Command } from 'commander';
import { readOperand } from '../../inputs/read-operand.js';
import { outputOption } from '../../output/output-option.js';
import { ExitCode, type Io } from '../../terminal/io.js';

type Options = Readonly<{ filename: string; catalogs?: string; output: 'json' }>;

const HELP = `
A line is a case of OLM Classic, or, with "api": "v1", of OLM v1. Exit codes: 0 all lines were answered · 2 a line has no case.

Examples:
  flotilla resolve -f cases.jsonl --catalogs ./catalogs
  flotilla resolve < case.json`;

/** Registers `flotilla resolve`: the bare solver, with problems in and answers out, in order. */
export const resolveCommand = (program: Command, io: Io): Command =>
  program
    .command('resolve')
    .description('answer resolution problems: one JSON object a line in, one answer a line out')
    .option('-f, --filename <file>', 'file with problems; "-" reads standard input', '-')
    .option('--catalogs <dir>', 'folder of the catalogs that problems name by "ref"')
    .addOption(outputOption('form of the answers', ['json']))
    .addHelpText('after', HELP)
    .action((options: Options) => resolveLines(options, io));

async function resolveLines({ filename, catalogs }: Options, io: Io): Promise<void> {
  const [{ answers }, { CatalogShelf }] = await Promise.all([
    import('./case-lines.js'),
    import('../../resolution/catalog-shelf.js'),
  ]);
  const text = await readOperand(filename, io);
  const dir = filename === '-' ? '.' : dirname(filename);
  let allRead = true;
  for await (const { ok, value } of answers(text, { dir, ref: catalogs, shelf: new CatalogShelf() })) {
    io.out(`${JSON.stringify(value)}\n`);
    allRead &&= ok;
  }
  io.exit(allRead ? ExitCode.done : ExitCode.badInput);
}
