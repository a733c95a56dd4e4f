import type { Command } from 'commander';
import type { Io } from '../io.js';
import { catalogListCommands } from './catalog-list.command.js';
import { catalogRenderCommand } from './catalog-render.command.js';
import { catalogValidateCommand } from './catalog-validate.command.js';

/** `flotilla catalog …`: everything about file-based catalogs. */
export function catalogCommand(program: Command, io: Io): Command {
  const catalog = program.command('catalog').description('look into, check and write file-based catalogs');
  catalogValidateCommand(catalog, io);
  catalogRenderCommand(catalog, io);
  catalogListCommands(catalog, io);
  return catalog;
}
