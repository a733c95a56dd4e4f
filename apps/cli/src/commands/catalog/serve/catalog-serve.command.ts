import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/model/catalog';
import { counted } from '#core/kernel/text/counted';
import { placeWithin } from '../../../inputs/place-within.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

const EXAMPLE = `
Over HTTP the paths are those of a ClusterCatalog: /catalogs/<name>/api/v1/all, and /metas with the parameters schema, package
and name.

Examples:
  flotilla catalog serve ./my-catalog --name shop
  curl 'http://127.0.0.1:8080/catalogs/shop/api/v1/metas?schema=olm.bundle&package=lamp'

  flotilla catalog serve ./my-catalog --grpc
  (then, in a CatalogSource: spec: {sourceType: grpc, address: "<this machine>:50051"})`;

type Options = Readonly<{ grpc?: boolean; port?: string; host: string; name?: string }>;

/**
 * Registers `flotilla catalog serve REF`: answers as catalogd does, with `--grpc` as `opm serve`, until it is
 * asked to stop.
 */
export const catalogServeCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('serve')
    .description('serve a catalog over HTTP as ClusterCatalogs are served, or over gRPC as registry servers do')
    .argument('<ref>', 'catalog directory, catalog file or catalog image')
    .option('--grpc', 'serve the gRPC API of registry servers instead')
    .option('--name <name>', 'name of the catalog in the URL (default: last part of the reference)')
    .option('--port <port>', 'port to listen on; 0 takes a free one (default: 8080, with --grpc 50051)')
    .option('--host <host>', 'address to listen on; 0.0.0.0 for all', '127.0.0.1')
    .addHelpText('after', EXAMPLE)
    .action(async (reference: string, { grpc = false, host, port, name }: Options) => {
      const place = { host, port: portOf(port ?? (grpc ? '50051' : '8080')) };
      if (grpc) {
        if (name !== undefined) throw new UsageError('--name is for HTTP: registry servers have no names');
        return serveUntil(askedToStop(), { reference, catalog: await catalogOf(reference) }, place, io);
      }
      const { serveHttpUntil } = await import('./catalog-serve-http.js');
      return serveHttpUntil(askedToStop(), reference, name === undefined ? place : { ...place, name }, io);
    });

/**
 * Serves until `stop` settles. With a catalog that opm would refuse to serve it ends at once, exit code 1.
 */
export async function serveUntil(
  stop: Promise<unknown>,
  { reference, catalog }: Readonly<{ reference: string; catalog: Catalog }>,
  place: Readonly<{ host: string; port: number }>,
  io: Io,
): Promise<void> {
  const { servingProblem } = await import('#platform/registry/grpc/catalog-serving');
  const { CatalogNotServed, serveCatalog } = await import('#platform/registry/grpc/grpc-catalog-server');
  const problem = servingProblem(catalog);
  if (problem !== undefined) {
    const where = problem.place === undefined ? '' : `${placeWithin(reference, problem.place)}: `;
    io.err(`error: ${where}${problem.text}\n`);
    io.exit(ExitCode.no);
    return;
  }
  const server = await serveCatalog(catalog, place).catch((error: unknown) => {
    throw error instanceof CatalogNotServed ? new UsageError(error.message) : error;
  });
  io.out(`serving ${counted(catalog.packages.length, 'package')} over gRPC at ${place.host}:${server.port}\n`);
  await stop;
  await server.stop();
  io.exit(ExitCode.done);
}

const askedToStop = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`invalid --port "${text}": expected a number from 0 to 65535`);
}

async function catalogOf(reference: string): Promise<Catalog> {
  const { loadReference } = await import('../../../inputs/load-reference.js');
  const loaded = await loadReference(reference);
  if (loaded.kind === 'catalog') return loaded.catalog;
  throw new UsageError(`"${reference}" is a bundle: name a catalog; "flotilla catalog render" makes one of bundles`);
}
