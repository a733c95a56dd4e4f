import type { Command } from 'commander';
import type { Io } from '../../terminal/io.js';
import { bundleBuildCommand, bundlePushCommand } from './bundle-build.command.js';
import { bundleRenderCommand } from './bundle-render.command.js';
import { bundleValidateCommand } from './bundle-validate.command.js';

/** Registers `flotilla bundle …`, the verbs about registry+v1 bundles. */
export function bundleCommand(program: Command, io: Io): Command {
  const bundle = program
    .command('bundle')
    .description('check, render and pack registry+v1 bundles')
    .addHelpText('after', '\nExample:\n  flotilla bundle validate ./bundles/foo/v1.0.0');
  bundleValidateCommand(bundle, io);
  bundleRenderCommand(bundle, io);
  bundleBuildCommand(bundle, io);
  bundlePushCommand(bundle, io);
  return bundle;
}
