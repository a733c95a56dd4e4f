import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/model/catalog';
import { unknownFormat } from '../../../output/output-option.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';
import { MIGRATION_LEVEL_HELP, type MigrationOptions, migrationLevel } from './migration-level.js';

const HELP = `
Writes OUTDIR/PACKAGE/catalog.json for each package, and blobs without a package into OUTDIR/catalog.json. It validates
nothing. OUTDIR must be new or empty (otherwise exit code 2), so that no file of an earlier catalog stays in the new one.
--force replaces an earlier catalog of this verb. A directory with any other file is refused even then.

Examples:
  flotilla catalog migrate registry.example/acme/catalog:v1 ./my-catalog -o yaml
  flotilla catalog migrate ./one-big-file.yaml ./my-catalog --migrate-level all`;

type Options = MigrationOptions & Readonly<{ output: string; force?: boolean }>;

/**
 * Registers `flotilla catalog migrate REF OUTDIR`: writes a catalog as files, one directory a package, as
 * `opm migrate` does.
 */
export const catalogMigrateCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('migrate')
    .description('write a catalog into a directory, one file a package')
    .argument('<ref>', 'catalog directory or file, or image')
    .argument('<outdir>', 'an empty directory, or a new one')
    .option('-o, --output <format>', 'json or yaml', 'json')
    .option('--migrate-level <name>', MIGRATION_LEVEL_HELP)
    .option('--force', 'replace a catalog that an earlier run wrote into <outdir>')
    .addHelpText('after', HELP)
    .action(async (reference: string, outdir: string, options: Options) => {
      const { output, force = false } = options;
      if (output !== 'json' && output !== 'yaml') {
        throw unknownFormat(output, ['json', 'yaml']);
      }
      const level = migrationLevel(options);
      const before = await earlierCatalog(outdir, force);
      const { loadReference } = await import('../../../inputs/load-reference.js');
      const { renderCatalog } = await import('#core/catalog/write/render-catalog');
      const loaded = await loadReference(reference);
      if (loaded.kind !== 'catalog') {
        throw new UsageError(`render catalog image: "${reference}" is a bundle: not allowed; name a catalog`);
      }
      await writeParts(renderCatalog(loaded.catalog, level), { outdir, before, format: output });
      io.err(`wrote rendered file-based catalog to "${outdir}"\n`);
      io.exit(ExitCode.done);
    });

const CATALOG_FILES: ReadonlySet<string> = new Set(['catalog.json', 'catalog.yaml']);

/**
 * Returns the files of the catalog in the directory that `force` allows to replace. They are files of the
 * kinds that this verb writes, and no other.
 * @throws UsageError if the directory is not empty, and with `force` if it holds anything else
 */
async function earlierCatalog(directory: string, force: boolean): Promise<readonly string[]> {
  const { readdir } = await import('node:fs/promises');
  const { join, relative } = await import('node:path');
  const { fileError } = await import('#platform/files/file-tree.error');
  const entriesOf = (path: string) =>
    readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw new UsageError(fileError('open', path, error).message);
    });
  const found = await entriesOf(directory);
  if (found.length === 0) return [];
  if (!force) {
    throw new UsageError(
      `output dir "${directory}" must be empty: name another directory, empty this one, or replace an earlier catalog with --force`,
    );
  }
  const folders = found.filter((entry) => entry.isDirectory());
  const below = await Promise.all(folders.map(({ name }) => entriesOf(join(directory, name))));
  const files = [...found.filter((entry) => !entry.isDirectory()), ...below.flat()];
  const other = files.find((entry) => !entry.isFile() || !CATALOG_FILES.has(entry.name));
  if (other !== undefined) {
    const path = relative(directory, join(other.parentPath, other.name));
    throw new UsageError(
      `output dir "${directory}" contains "${path}", which does not belong to an earlier catalog: name another directory`,
    );
  }
  return files.map((entry) => join(entry.parentPath, entry.name));
}

type Target = Readonly<{
  outdir: string;
  /** Files of the earlier catalog. They are removed once the new one is known to be writable as files. */
  before: readonly string[];
  format: 'json' | 'yaml';
}>;

async function writeParts(catalog: Catalog, { outdir, before, format }: Target): Promise<void> {
  const { rm, writeFile } = await import('node:fs/promises');
  const { makeFolder } = await import('#platform/files/make-folder');
  const { join } = await import('node:path');
  const { splitByPackage } = await import('#core/catalog/authoring/split-catalog');
  const { catalogToJson, catalogToYaml } = await import('#core/catalog/write/write-catalog');
  const parts = splitByPackage(catalog);
  for (const name of parts.keys()) requirePathElement(name);
  for (const file of before) await rm(file, { force: true });
  await makeFolder(outdir);
  for (const [name, part] of parts) {
    const directory = join(outdir, name);
    await makeFolder(directory);
    await writeFile(join(directory, `catalog.${format}`), (format === 'json' ? catalogToJson : catalogToYaml)(part));
  }
}

/** Refuses names that would lead outside the directory, whatever a package calls itself. */
function requirePathElement(name: string): void {
  if (name !== '.' && name !== '..' && !/[/\\\0]/.test(name)) return;
  throw new UsageError(`invalid package name ${JSON.stringify(name)}: must be a single local path element`);
}
