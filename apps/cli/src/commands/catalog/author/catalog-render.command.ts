import type { Command } from 'commander';
import type { Bundle } from '#core/catalog/bundle/bundle';
import type { BlobConsumer } from '#core/catalog/read/blob-consumer';
import type { MigrationLevel } from '#core/catalog/write/render-catalog';
import { unknownFormat } from '../../../output/output-option.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';
import { MIGRATION_LEVEL_HELP, type MigrationOptions, migrationLevel } from './migration-level.js';

const EXAMPLES = `
Examples:
  flotilla catalog render ./my-catalog -o yaml
  flotilla catalog render ./bundles/foo/v1.0.0 --migrate --alpha-image-ref-template 'registry.example/{{.Package}}:v{{.Version}}'`;

type Options = MigrationOptions & Readonly<{ output: string; alphaImageRefTemplate?: string }>;

/**
 * Registers `flotilla catalog render REF…`: the blobs of catalogs and bundles, concatenated; nothing is
 * validated.
 */
export const catalogRenderCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('render')
    .description('write catalogs, or the blobs of bundles, in their normal form')
    .argument('<ref...>', 'catalog directory or file, bundle directory, or image')
    .option('-o, --output <format>', 'json or yaml', 'json')
    .option('--migrate', 'apply all migrations')
    .option('--migrate-level <name>', MIGRATION_LEVEL_HELP)
    .option(
      '--alpha-image-ref-template <template>',
      'image of bundle directories: {{.Package}}, {{.Name}}, {{.Version}}',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (references: string[], options: Options) => {
      const { output, alphaImageRefTemplate: template = '' } = options;
      if (output !== 'json' && output !== 'yaml') {
        throw unknownFormat(output, ['json', 'yaml']);
      }
      const level = migrationLevel(options);
      const { CatalogWriter } = await import('#core/catalog/write/write-catalog');
      const { visibleText } = await import('#core/kernel/text/visible-text');
      const { FileShelf } = await import('#platform/content/file-shelf');
      const shelf = new FileShelf();
      const writer = new CatalogWriter(output, visibleText, shelf);
      try {
        for (const reference of references) await render(reference, { level, template, writer, io });
        for (const bytes of writer.parts()) {
          if (io.outBytes) await io.outBytes(bytes);
          else io.out(new TextDecoder().decode(bytes));
        }
      } finally {
        shelf.close();
      }
      io.exit(ExitCode.done);
    });

type Rendering = Readonly<{ level: MigrationLevel; template: string; writer: BlobConsumer; io: Io }>;

/** A file that is passed over is missing in the blob of its bundle: a warning for each, and exit code 0. */
async function render(reference: string, { level, template, writer, io }: Rendering): Promise<void> {
  const { readReference } = await import('../../../inputs/load-reference.js');
  const { renderBlob, renderBundle } = await import('#core/catalog/write/render-catalog');
  const rendering: BlobConsumer = { take: (decoded) => writer.take(renderBlob(decoded, level)) };
  const named = (error: unknown): never => {
    const where = `render reference "${reference}": `;
    if (error instanceof UsageError) throw new UsageError(`${where}${error.message}`);
    throw error instanceof Error ? new Error(`${where}${error.message}`, { cause: error }) : error;
  };
  const read = await readReference(reference, rendering).catch(named);
  if (read.kind === 'catalog') return;
  const { catalogBundleOf } = await import('#core/catalog/bundle/bundle-blob');
  for (const line of [...read.bundle.warnings, ...read.bundle.refusals]) io.err(`warning: ${reference}: ${line}\n`);
  const image = read.image === '' ? filledTemplate(template, read.bundle) : read.image;
  const { asUsageError } = await import('../../../inputs/unreadable-input.js');
  const blob = await asUsageError(reference, async () => catalogBundleOf(read.bundle, image)).catch(named);
  writer.take({ kind: 'bundle', blob: renderBundle(blob, level) });
}

/** A field in braces, or braces that hold something else or do not end. */
const FIELD = /\{\{\s*\.(\w+)\s*\}\}|\{\{.*?(?:\}\}|$)/gs;

/** The three fields of the template that opm knows; anything else in braces is an error. */
function filledTemplate(template: string, { csv, annotations }: Bundle): string {
  const spec: unknown = csv['spec'];
  const version = spec !== null && typeof spec === 'object' && 'version' in spec ? spec.version : '';
  const fields: Readonly<Record<string, string>> = {
    Package: annotations['operators.operatorframework.io.bundle.package.v1'] ?? '',
    Name: csv.metadata.name ?? '',
    Version: typeof version === 'string' ? version : '',
  };
  // A dash within the braces takes the blanks around them away.
  const trimmed = template.replaceAll(/\s*\{\{- /g, '{{').replaceAll(/ -\}\}\s*/g, '}}');
  return trimmed.replaceAll(FIELD, (braces, name: string) => {
    if (Object.hasOwn(fields, name)) return fields[name] ?? '';
    throw new UsageError(
      `--alpha-image-ref-template: ${braces} is unknown; known are {{.Package}}, {{.Name}} and {{.Version}}`,
    );
  });
}
