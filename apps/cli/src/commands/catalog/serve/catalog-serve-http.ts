import type { FileHandle } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { basename, resolve } from 'node:path';
import { catalogLines } from '#core/catalog/metas/catalog-lines';
import { catalogNameProblem } from '#core/catalog/metas/catalog-name';
import { MetasIndexBuilder } from '#core/catalog/metas/metas-index';
import { CATALOGS } from '#core/catalog/metas/metas-route';
import type { CatalogFile } from '#core/catalog/read/catalog-file';
import { counted } from '#core/kernel/text/counted';
import { contentOfFile, unnamedFile } from '#platform/content/unnamed-file';
import { MetasContent } from '#platform/metas/metas-content';
import { MetasServer } from '#platform/metas/serve-metas';
import { withCatalogFiles } from '../../../inputs/catalog-files.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

export type ServedPlace = Readonly<{ host: string; port: number; name?: string }>;

const FLUSH_CHARACTERS = 256 * 1024;
/** A smaller content is served from memory. */
const HELD_BYTES = 32 * 1024 * 1024;

/**
 * Serves a catalog as catalogd serves a ClusterCatalog, until `stop` settles. Well-formed
 * blobs are enough, as there.
 */
export async function serveHttpUntil(
  stop: Promise<unknown>,
  reference: string,
  place: ServedPlace,
  io: Io,
): Promise<void> {
  const name = nameFor(reference, place.name);
  const content = await withCatalogFiles(reference, contentOf);
  // Reading the catalog made several times as much garbage as the server ever needs again.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const modified = new Date();
  const metas = new MetasServer({
    place: CATALOGS,
    find: ([asked]) => (asked === name ? { content, modified } : undefined),
  });
  const server = createServer((request, response) => void metas.answer(request, response));
  try {
    const port = await listening(server, place);
    io.out(
      `serving ${counted(content.index.blobs, 'blob')} at http://${place.host}:${port}/catalogs/${name}/api/v1/all and /metas\n`,
    );
    await stop;
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  } finally {
    await content.close();
  }
  io.exit(ExitCode.done);
}

/** Returns the given name, otherwise the last part of the reference: of a directory, of a repository. */
function nameFor(reference: string, given: string | undefined): string {
  const unnamed = reference
    .replace(/^oci:/, '')
    .replace(/@.*$/, '')
    .replace(/:[^/]*$/, '');
  const name = given ?? basename(resolve(unnamed)).replace(/\.(ya?ml|json)$/, '');
  const problem = catalogNameProblem(name);
  if (problem === undefined) return name;
  throw new UsageError(`"${name}" cannot be the name of a catalog: ${problem}; choose a name with --name`);
}

async function contentOf(files: readonly CatalogFile[]): Promise<MetasContent> {
  const file = await unnamedFile();
  return writtenTo(file, files).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
}

async function writtenTo(file: FileHandle, files: readonly CatalogFile[]): Promise<MetasContent> {
  const index = new MetasIndexBuilder();
  let pending = '';
  for (const { line, meta } of catalogLines(files)) {
    index.add(meta, Buffer.byteLength(line));
    pending += line;
    if (pending.length < FLUSH_CHARACTERS) continue;
    await file.write(pending);
    pending = '';
  }
  await file.write(pending);
  return new MetasContent(await contentOfFile(file, HELD_BYTES), index.finish());
}

function listening(server: Server, { host, port }: ServedPlace): Promise<number> {
  return new Promise((done, refuse) => {
    server.once('error', (error) =>
      refuse(new UsageError(`cannot listen on ${host}:${port}: ${error.message}: choose another port or host`)),
    );
    server.listen(port, host, () => {
      const address = server.address();
      done(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}
