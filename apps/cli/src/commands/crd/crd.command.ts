import type { Command } from 'commander';
import type { Io } from '../../terminal/io.js';
import { crdCheckCommand } from './crd-check.command.js';

/** Registers `flotilla crd …`, the verbs about CustomResourceDefinitions. */
export function crdCommand(program: Command, io: Io): Command {
  const crd = program
    .command('crd')
    .description('check changes of CustomResourceDefinitions')
    .addHelpText('after', '\nExample:\n  flotilla crd check old.yaml new.yaml');
  crdCheckCommand(crd, io);
  return crd;
}
