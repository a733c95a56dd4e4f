import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type ServerWritableStream,
  type StatusObject,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { nameProblem } from './catalog-serving.js';
import { listedBundle, singleBundle } from './grpc-bundle-message.js';
import { type Api, type GrpcCatalogIndex, NotInCatalog } from './grpc-catalog-index.js';
import { structOf } from './grpc-struct.js';

/** Gives the index that is served now: it may be replaced between two calls, never within one. */
type CurrentIndex = () => GrpcCatalogIndex;

type Request = Readonly<Record<'name' | 'pkgName' | 'channelName' | 'csvName', string>> & Api;
type Failure = Pick<StatusObject, 'code' | 'details'>;

const unary =
  (answer: (request: Request) => unknown): handleUnaryCall<Request, unknown> =>
  (call, callback) => {
    try {
      callback(null, answer(call.request));
    } catch (error) {
      callback(failureOf(error));
    }
  };

const stream =
  <R>(answers: (request: R, metadata: Metadata) => Iterable<unknown>): handleServerStreamingCall<R, unknown> =>
  (call) => {
    sendAll(call, () => answers(call.request, call.metadata)).catch((error: unknown) => {
      call.emit('error', failureOf(error));
    });
  };

async function sendAll<R>(call: ServerWritableStream<R, unknown>, answers: () => Iterable<unknown>): Promise<void> {
  const cancelled = new Promise<void>((resolve) => call.once('cancelled', () => resolve()));
  for (const answer of answers()) {
    if (call.cancelled) return;
    if (call.write(answer)) continue;
    await Promise.race([new Promise<void>((resolve) => call.once('drain', resolve)), cancelled]);
  }
  call.end();
}

function failureOf(error: unknown): Failure {
  if (error instanceof InvalidQuery) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof NotInCatalog) return { code: status.UNKNOWN, details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}

/** Service api.Registry (spec: file-based-catalogs.md §8). */
export const registryService = (current: CurrentIndex): UntypedServiceImplementation => ({
  ListPackages: stream(() =>
    current()
      .packageNames()
      .map((name) => ({ name })),
  ),
  GetPackage: unary(({ name }) => current().package(name)),
  GetBundle: unary(({ pkgName, channelName, csvName }) => singleBundle(current().entry(pkgName, channelName, csvName))),
  GetBundleForChannel: unary(({ pkgName, channelName }) => singleBundle(current().head(pkgName, channelName))),
  GetChannelEntriesThatReplace: stream(({ csvName }: Request) => current().entriesThatReplace(csvName)),
  GetBundleThatReplaces: unary(({ csvName, pkgName, channelName }) =>
    singleBundle(current().entryThatReplaces(csvName, pkgName, channelName)),
  ),
  GetChannelEntriesThatProvide: stream((api: Request) => current().entriesThatProvide(api)),
  GetLatestChannelEntriesThatProvide: stream((api: Request) => current().latestEntriesThatProvide(api)),
  GetDefaultBundleThatProvides: unary((api) => singleBundle(current().defaultEntryThatProvides(api))),
  ListBundles: stream(() => current().entries().map(listedBundle)),
});

class InvalidQuery extends Error {}

/** Service api.ExperimentalRegistry: blobs of schemas that are not OLM's, for clients that know them. */
export const experimentalService = (current: CurrentIndex): UntypedServiceImplementation => ({
  ExperimentalListPackageCustomSchemas: stream(
    ({ schema, packageName }: Readonly<{ schema: string; packageName: string }>, metadata) => {
      if (metadata.get('x-acknowledge-experimental')[0] !== 'true') return [];
      if (schema === '') throw new InvalidQuery('schema is required');
      const problem =
        nameProblem('schema', schema) ?? (packageName === '' ? undefined : nameProblem('package', packageName));
      if (problem !== undefined) throw new InvalidQuery(`invalid custom schema query: ${problem}`);
      return current()
        .catalog.others.filter((blob) => blob['schema'] === schema && (blob['package'] ?? '') === packageName)
        .map(structOf);
    },
  ),
});

/** Service grpc.health.v1.Health: serving as long as it answers. */
export const healthService = (): UntypedServiceImplementation => ({
  Check: unary(() => ({ status: 'SERVING' })),
  Watch: (call: ServerWritableStream<unknown, unknown>) => {
    call.emit('error', { code: status.UNIMPLEMENTED, details: 'health cannot be watched: use Check' });
  },
});
