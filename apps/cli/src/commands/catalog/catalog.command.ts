import type { Command } from 'commander';
import type { Io } from '../../terminal/io.js';
import { catalogBuildCommand, catalogPushCommand } from './author/catalog-build.command.js';
import { catalogConvertTemplateCommand } from './author/catalog-convert-template.command.js';
import { catalogDockerfileCommand } from './author/catalog-dockerfile.command.js';
import { catalogInitCommand } from './author/catalog-init.command.js';
import { catalogMigrateCommand } from './author/catalog-migrate.command.js';
import { catalogRenderCommand } from './author/catalog-render.command.js';
import { catalogTemplateCommand } from './author/catalog-template.command.js';
import { catalogImpactCommand } from './impact/catalog-impact.command.js';
import { catalogDiffCommand } from './read/catalog-diff.command.js';
import { catalogGraphCommand } from './read/catalog-graph.command.js';
import { catalogListCommands } from './read/catalog-list.command.js';
import { catalogServeCommand } from './serve/catalog-serve.command.js';
import { catalogValidateCommand } from './validate/catalog-validate.command.js';

const HELP = `
A <ref> is a directory of a file-based catalog, a single catalog file, a bundle directory, an image in an OCI layout
(oci:DIR[:TAG]), or an image in a registry. Images are pulled with the logins of this machine.

Examples:
  flotilla catalog validate ./my-catalog
  flotilla catalog bundles ./my-catalog my-operator
  flotilla catalog build --help`;

/** Registers `flotilla catalog …`, the verbs about file-based catalogs. */
export function catalogCommand(program: Command, io: Io): Command {
  const catalog = program
    .command('catalog')
    .description('read, check and write file-based catalogs')
    .addHelpText('after', HELP);
  catalogValidateCommand(catalog, io);
  catalogRenderCommand(catalog, io);
  catalogTemplateCommand(catalog, io);
  catalogConvertTemplateCommand(catalog, io);
  catalogInitCommand(catalog, io);
  catalogMigrateCommand(catalog, io);
  catalogDockerfileCommand(catalog, io);
  catalogListCommands(catalog, io);
  catalogGraphCommand(catalog, io);
  catalogDiffCommand(catalog, io);
  catalogImpactCommand(catalog, io);
  catalogBuildCommand(catalog, io);
  catalogPushCommand(catalog, io);
  catalogServeCommand(catalog, io);
  return catalog;
}
