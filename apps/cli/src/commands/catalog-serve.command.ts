import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/catalog';
import { ExitCode, type Io, UsageError } from '../io.js';

const EXAMPLE = `
Example:
  flotilla catalog serve ./my-catalog --grpc --port 50051
  (then, in a CatalogSource: spec: {sourceType: grpc, address: "<this machine>:50051"})`;

type Options = Readonly<{ grpc?: boolean; port: string; host: string }>;

/** `flotilla catalog serve REF --grpc`: answers as `opm serve` does until it is asked to stop. */
export const catalogServeCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('serve')
    .description('serve a catalog, over gRPC as registry servers do')
    .argument('<ref>', 'catalog directory, catalog file or catalog image')
    .option('--grpc', "the registry servers' gRPC API (the HTTP API of ClusterCatalogs is not served yet)")
    .option('--port <port>', 'port to listen on; 0 takes a free one', '50051')
    .option('--host <host>', 'address to listen on; 0.0.0.0 for all', '127.0.0.1')
    .addHelpText('after', EXAMPLE)
    .action(async (reference: string, options: Options) => {
      if (!options.grpc) throw new UsageError('say what to serve: --grpc');
      const place = { host: options.host, port: portOf(options.port) };
      await serveUntil(askedToStop(), await catalogOf(reference), place, io);
    });

/** Serves until `stop` settles. A catalog that opm would refuse to serve ends it at once, exit code 1. */
export async function serveUntil(
  stop: Promise<unknown>,
  catalog: Catalog,
  place: Readonly<{ host: string; port: number }>,
  io: Io,
): Promise<void> {
  const { servingProblem } = await import('#platform/registry/catalog-serving');
  const { CatalogNotServed, serveCatalog } = await import('#platform/registry/grpc-catalog-server');
  const problem = servingProblem(catalog);
  if (problem !== undefined) {
    io.err(`error: ${problem}\n`);
    io.exit(ExitCode.no);
    return;
  }
  const server = await serveCatalog(catalog, place).catch((error: unknown) => {
    throw error instanceof CatalogNotServed ? new UsageError(error.message) : error;
  });
  io.out(`serving ${catalog.packages.length} packages over gRPC at ${place.host}:${server.port}\n`);
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
  const { loadReference } = await import('../reference/load-reference.js');
  const loaded = await loadReference(reference);
  if (loaded.kind === 'catalog') return loaded.catalog;
  throw new UsageError(`"${reference}" is a bundle: name a catalog; "flotilla catalog render" makes one of bundles`);
}
