import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Catalog } from '#core/catalog/model/catalog';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { servingProblem } from './catalog-serving.js';
import { GrpcCatalogIndex } from './grpc-catalog-index.js';
import { reflection, serviceDefinition } from './grpc-definitions.js';
import { experimentalService, healthService, registryService } from './grpc-registry-service.js';

export type ServeOptions = Readonly<{
  /** 0 for any free port. */
  port: number;
  /** Address to listen on; this machine alone by default. */
  host?: string;
}>;

export type CatalogServer = Readonly<{
  port: number;
  /** Serves other content from the next call on. */
  replace: (catalog: Catalog) => void;
  /** Lets running calls end, for a few seconds at most. */
  stop: () => Promise<void>;
}>;

/** The catalog cannot be served, or not there. */
export class CatalogNotServed extends FlotillaError {
  readonly code = 'CatalogNotServed';
  readonly retry = 'when-input-changes';
}

const STOP_MS = 3_000;

/**
 * Serves a catalog over plain-text gRPC as `opm serve` does: api.Registry, api.ExperimentalRegistry, health
 * and reflection. A catalog that opm would refuse to serve is refused with CatalogNotServed, in opm's words.
 * A refused replacement leaves the old content.
 */
export async function serveCatalog(
  catalog: Catalog,
  { port, host = '127.0.0.1' }: ServeOptions,
): Promise<CatalogServer> {
  let index = servable(catalog);
  const current = () => index;
  const server = new Server();
  server.addService(serviceDefinition('api.Registry'), registryService(current));
  server.addService(serviceDefinition('api.ExperimentalRegistry'), experimentalService(current));
  server.addService(serviceDefinition('grpc.health.v1.Health'), healthService());
  reflection().addToServer(server);
  const bound = await bind(server, host, port);
  return {
    port: bound,
    replace: (next) => {
      index = servable(next);
    },
    stop: () => stop(server),
  };
}

function servable(catalog: Catalog): GrpcCatalogIndex {
  const problem = servingProblem(catalog);
  if (problem !== undefined) throw new CatalogNotServed(problem.text);
  return new GrpcCatalogIndex(catalog);
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(new CatalogNotServed(`cannot listen on ${host}:${port} (${error.message}): choose another port`));
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, STOP_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
