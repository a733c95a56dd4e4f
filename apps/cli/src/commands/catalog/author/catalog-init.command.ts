import type { Command } from 'commander';
import { unknownFormat } from '../../../output/output-option.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

const HELP = `
Examples:
  flotilla catalog init my-operator -c stable -d README.md -i icon.svg -o yaml > ./my-catalog/package.yaml`;

type Options = Readonly<{ defaultChannel: string; description?: string; icon?: string; output: string }>;

/**
 * Registers `flotilla catalog init PACKAGE`: the olm.package blob of a new package, as `opm init` prints it.
 */
export const catalogInitCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('init')
    .description('write the olm.package blob of a new package')
    .argument('<package>', 'name of the package')
    .option('-c, --default-channel <name>', 'channel of Subscriptions without a channel', '')
    .option('-d, --description <file>', 'text that describes the operator, such as its README.md')
    .option('-i, --icon <file>', 'icon: SVG, PNG, JPEG, GIF …')
    .option('-o, --output <format>', 'json or yaml', 'json')
    .addHelpText('after', HELP)
    .action(async (name: string, { defaultChannel, description, icon, output }: Options) => {
      if (output !== 'json' && output !== 'yaml') {
        throw unknownFormat(output, ['json', 'yaml']);
      }
      const { packageBlob } = await import('#core/catalog/authoring/package-blob');
      const { catalogToJson, catalogToYaml } = await import('#core/catalog/write/write-catalog');
      const blob = packageBlob({
        name,
        defaultChannel,
        ...(description !== undefined && { description: (await contentOf('description', description)).toString() }),
        ...(icon !== undefined && { icon: await contentOf('icon', icon) }),
      });
      if ('error' in blob) throw new UsageError(`${icon}: ${blob.error}`);
      const written = { packages: [blob], channels: [], bundles: [], deprecations: [], others: [] };
      io.out((output === 'json' ? catalogToJson : catalogToYaml)(written));
      io.exit(ExitCode.done);
    });

async function contentOf(what: string, path: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  const { fileError } = await import('#platform/files/file-tree.error');
  return readFile(path).catch((error: unknown) => {
    throw new UsageError(`open ${what} file: ${fileError('open', path, error).message}`);
  });
}
