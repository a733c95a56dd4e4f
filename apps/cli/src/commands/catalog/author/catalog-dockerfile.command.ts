import type { Command } from 'commander';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

const HELP = `
Writes DIR.Dockerfile next to DIR, as opm does. The image needs opm, because OLM runs it as a server. A hub reads only the
files of an image: use "flotilla catalog push" for a hub. It needs neither Docker nor opm.

Examples:
  flotilla catalog dockerfile ./my-catalog
  flotilla catalog dockerfile ./my-catalog -i scratch -l team=storage`;

type Options = Readonly<{
  baseImage?: string;
  builderImage?: string;
  extraLabels?: readonly string[];
  force?: boolean;
}>;

/**
 * Registers `flotilla catalog dockerfile DIR`: a Dockerfile to build catalog images with a container engine.
 */
export const catalogDockerfileCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('dockerfile')
    .description('write a Dockerfile next to a catalog directory')
    .argument('<dir>', 'root of a file-based catalog')
    .option('-i, --base-image <image>', 'image that the catalog image is based on; "scratch" leaves opm out')
    .option('-b, --builder-image <image>', 'image with opm that prepares the cache')
    .option('-l, --extra-labels <key=value>', 'further label; may be given several times', gathered)
    .option('--force', 'replace an existing Dockerfile')
    .addHelpText('after', HELP)
    .action(async (given: string, options: Options) => {
      const { basename, dirname, join, normalize } = await import('node:path');
      const { catalogDockerfile, OPM_IMAGE } = await import('#core/catalog/authoring/catalog-dockerfile');
      const { baseImage = OPM_IMAGE, builderImage = OPM_IMAGE } = options;
      if (builderImage === 'scratch') throw new UsageError('invalid builder image: "scratch": name an image with opm');
      const labels = parseLabels(options.extraLabels ?? []);
      const path = normalize(`${given}/`).slice(0, -1);
      const directory = basename(path);
      for (const part of [directory, baseImage, builderImage]) onOneLine(part);
      await requireDirectory(path);
      await writeNew(join(dirname(path), `${directory}.Dockerfile`), {
        text: catalogDockerfile({ directory, builderImage, baseImage, labels }),
        replaces: options.force === true,
        io,
      });
    });

const gathered = (value: string, before: readonly string[] = []): string[] => [...before, ...value.split(',')];

function parseLabels(texts: readonly string[]): Map<string, string> {
  return new Map(
    texts.map((text) => {
      const equals = text.indexOf('=');
      if (equals < 0) throw new UsageError(`invalid label "${text}": write key=value`);
      onOneLine(text);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}

/** A line break would begin another instruction of the Dockerfile. */
function onOneLine(text: string): void {
  if (/[\r\n]/.test(text))
    throw new UsageError(`${JSON.stringify(text)} contains a line break, which a Dockerfile does not allow`);
}

async function requireDirectory(path: string): Promise<void> {
  const { stat } = await import('node:fs/promises');
  const { fileError } = await import('#platform/files/file-tree.error');
  const found = await stat(path).catch((error: unknown) => {
    throw new UsageError(fileError('stat', path, error).message);
  });
  if (!found.isDirectory()) throw new UsageError(`provided root path "${path}" is not a directory`);
}

async function writeNew(
  file: string,
  { text, replaces, io }: Readonly<{ text: string; replaces: boolean; io: Io }>,
): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  const { fileError } = await import('#platform/files/file-tree.error');
  await writeFile(file, text, { flag: replaces ? 'w' : 'wx' }).catch((error: unknown) => {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new UsageError(
      exists ? `path "${file}": file already exists: --force replaces it` : fileError('open', file, error).message,
    );
  });
  io.err(`wrote ${file}\n`);
  io.exit(ExitCode.done);
}
