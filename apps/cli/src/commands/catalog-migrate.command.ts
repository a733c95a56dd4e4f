import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/catalog';
import { ExitCode, type Io, UsageError } from '../io.js';
import { unknownFormat } from '../output/output-option.js';
import { MIGRATION_LEVEL_HELP, type MigrationOptions, migrationLevel } from './migration-level.js';

const HELP = `
Writes OUTDIR/PACKAGE/catalog.json for each package, and what belongs to no package to OUTDIR/catalog.json. Nothing is
validated. OUTDIR must be empty, or not be there yet: a directory that holds
files is refused (exit code 2), so that no file of an earlier catalog stays in the new one.

Examples:
  flotilla catalog migrate registry.example/acme/catalog:v1 ./my-catalog -o yaml
  flotilla catalog migrate ./one-big-file.yaml ./my-catalog --migrate-level all`;

type Options = MigrationOptions & Readonly<{ output: string }>;

/** `flotilla catalog migrate REF OUTDIR`: a catalog as files, one directory a package, as `opm migrate` writes them. */
export const catalogMigrateCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('migrate')
    .description('write a catalog into a directory, one file a package')
    .argument('<ref>', 'catalog directory or file, or image')
    .argument('<outdir>', 'an empty directory, or one to be made')
    .option('-o, --output <format>', 'json or yaml', 'json')
    .option('--migrate-level <name>', MIGRATION_LEVEL_HELP)
    .addHelpText('after', HELP)
    .action(async (reference: string, outdir: string, options: Options) => {
      const { output } = options;
      if (output !== 'json' && output !== 'yaml') {
        throw unknownFormat(output, ['json', 'yaml']);
      }
      const level = migrationLevel(options);
      await requireEmpty(outdir);
      const { loadReference } = await import('../reference/load-reference.js');
      const { renderCatalog } = await import('#core/catalog/write/render-catalog');
      const loaded = await loadReference(reference);
      if (loaded.kind !== 'catalog') {
        throw new UsageError(`render catalog image: "${reference}" is a bundle: not allowed; name a catalog`);
      }
      await writeParts(renderCatalog(loaded.catalog, level), outdir, output);
      io.err(`wrote rendered file-based catalog to "${outdir}"\n`);
      io.exit(ExitCode.done);
    });

async function requireEmpty(directory: string): Promise<void> {
  const { readdir } = await import('node:fs/promises');
  const { fileError } = await import('#platform/files/file-tree.error');
  const found = await readdir(directory).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new UsageError(fileError('open', directory, error).message);
  });
  if (found.length > 0)
    throw new UsageError(`output dir "${directory}" must be empty: name another, or clear it first`);
}

async function writeParts(catalog: Catalog, outdir: string, format: 'json' | 'yaml'): Promise<void> {
  const { mkdir, writeFile } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const { splitByPackage } = await import('#core/catalog-authoring/split-catalog');
  const { catalogToJson, catalogToYaml } = await import('#core/catalog/write/write-catalog');
  const parts = splitByPackage(catalog);
  for (const name of parts.keys()) requirePathElement(name);
  await mkdir(outdir, { recursive: true });
  for (const [name, part] of parts) {
    const directory = join(outdir, name);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `catalog.${format}`), (format === 'json' ? catalogToJson : catalogToYaml)(part));
  }
}

/** Nothing is written outside the directory, whatever a package calls itself. */
function requirePathElement(name: string): void {
  if (name !== '.' && name !== '..' && !/[/\\\0]/.test(name)) return;
  throw new UsageError(`invalid package name ${JSON.stringify(name)}: must be a single local path element`);
}
