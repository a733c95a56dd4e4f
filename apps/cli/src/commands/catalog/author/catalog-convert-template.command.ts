import type { Command } from 'commander';
import { readOperand } from '../../../inputs/read-operand.js';
import { unknownFormat } from '../../../output/output-option.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

const HELP = `
A basic template keeps only the image of each bundle; "catalog template" renders it again. A substitutes template keeps
everything, and has no substitutions yet. A basic template cannot restore bundles without an image.

Examples:
  flotilla catalog convert-template basic ./my-catalog/catalog.yaml -o yaml > template.yaml
  flotilla catalog render registry.example/acme/catalog:v1 | flotilla catalog convert-template basic`;

type Options = Readonly<{ output: string }>;

/** Registers `flotilla catalog convert-template TYPE [FILE]`: the template that a catalog would come from. */
export const catalogConvertTemplateCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('convert-template')
    .description('turn a catalog file into a template')
    .argument('<type>', 'basic or substitutes')
    .argument('[file]', 'the catalog, YAML or JSON; "-" reads standard input', '-')
    .option('-o, --output <format>', 'json or yaml', 'json')
    .addHelpText('after', HELP)
    .action(async (wanted: string, file: string, { output }: Options) => {
      const { CONVERTIBLE_TYPES, templateOfCatalog } = await import('#core/catalog/template/template-of-catalog');
      const type = CONVERTIBLE_TYPES.find((one) => one === wanted);
      if (type === undefined) {
        throw new UsageError(`invalid template type "${wanted}", must be one of: ${CONVERTIBLE_TYPES.join(', ')}`);
      }
      if (output !== 'json' && output !== 'yaml') {
        throw unknownFormat(output, ['json', 'yaml']);
      }
      const { asUsageError } = await import('../../../inputs/unreadable-input.js');
      const { fileInMemory } = await import('#core/catalog/read/catalog-file');
      const { readBlobs } = await import('#core/catalog/read/read-blobs');
      const { indentedJson } = await import('#core/kernel/json/go-json-text');
      const { goYaml } = await import('#core/catalog/write/go-yaml-text');
      const bytes = new TextEncoder().encode(await readOperand(file, io));
      const path = file === '-' ? 'standard input' : file;
      const template = await asUsageError(path, async () =>
        templateOfCatalog(type, readBlobs([fileInMemory({ path, bytes })])),
      );
      io.out(output === 'json' ? `${indentedJson(template)}\n` : `---\n${goYaml(template)}`);
      io.exit(ExitCode.done);
    });
