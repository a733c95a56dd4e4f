import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable, type NestMiddleware, Optional } from '@nestjs/common';
import { packageIcon, shownManifest } from '#core/classic/package-manifest/package-icon';
import { PACKAGE_MANIFEST_API, type PackageManifest } from '#core/classic/package-manifest/package-manifest';
import {
  type PackageManifestQuestion,
  type PackageManifestRefusal,
  packageManifestPath,
  packageManifestQuestion,
} from '#core/classic/package-manifest/package-manifest-route';
import { type Admission, refusalHeaders } from '#core/kernel/http-access/admission';
import { SharedMetas } from '#lifecycle/catalogs/cluster-catalogs/shared-metas';
import type { CatalogRefresh } from '#lifecycle/catalogs/sources/catalog-refresh';
import { PackagesInSight } from '#lifecycle/classic/package-manifests/packages-in-sight';
import { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import type { ContentStore } from '#platform/content/content-store.port';
import type { HttpAccess } from '#platform/http/http-access';
import { ACCESS, CONTENT, LOG, PEERS } from '#platform/hub/hub-tokens';
import { passBack } from '#platform/peers/pass-back';
import { PeerUnreachable } from '#platform/peers/peer-unreachable.error';
import type { Peers } from '#platform/peers/peers';
import type { Log } from '#platform/telemetry/log.port';

type Request = IncomingMessage & { originalUrl?: string };
type Question<Ask extends PackageManifestQuestion['ask']> = Extract<PackageManifestQuestion, { ask: Ask }>;

/**
 * Lists under way at the same time; each holds one package in memory. Beyond, clients
 * get 503 with Retry-After.
 */
const MAX_LISTS = 8;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * Answers like `kubectl get packagemanifests` under OLM, for every cluster at the hub. Passes other paths to
 * the next handler.
 */
@Injectable()
export class PackageManifestsMiddleware implements NestMiddleware<Request, ServerResponse> {
  #lists = 0;

  constructor(
    @Inject(ACCESS) private readonly access: HttpAccess,
    @Inject(CONTENT) private readonly content: ContentStore,
    @Inject(LOG) private readonly log: Log,
    private readonly metas: SharedMetas,
    private readonly fleet: ObservedFleet,
    @Optional() @Inject(PEERS) private readonly peers?: Peers,
  ) {}

  use(request: Request, response: ServerResponse, next: () => void): void {
    const target = targetOf(request);
    const question = packageManifestQuestion(request.method ?? 'GET', target, request.headers['if-none-match']);
    if (question === undefined) next();
    else
      void this.#answer(question, request, response).catch((error: unknown) => this.#failed(error, target, response));
  }

  async #answer(
    question: PackageManifestQuestion | PackageManifestRefusal,
    request: Request,
    response: ServerResponse,
  ): Promise<void> {
    if ('code' in question) return refuse(response, question);
    const { authorization } = request.headers;
    const path = packageManifestPath(question);
    const admission = await this.access.admit({ area: 'packages', path, authorization });
    if (!admission.admitted) return refuse(response, refusalOf(admission));
    if (question.ask === 'icon' && question.unchanged) return void response.writeHead(304).end();
    const packages = this.#inSight(question);
    if (packages === undefined) {
      const { method = 'GET', headers } = request;
      const elsewhere = this.peers?.ofCluster(question.cluster, { method, headers, path, target: targetOf(request) });
      const answer = await elsewhere;
      return answer === undefined ? refuse(response, unknownCluster(question.cluster)) : passBack(answer, response);
    }
    if (request.method === 'HEAD') return void response.writeHead(200, JSON_TYPE).end();
    if (question.ask === 'list') return this.#list(question, packages, response);
    const value = await firstOf(packages.manifests(question.name));
    if (value === undefined) return refuse(response, notFound(question.name));
    return question.ask === 'get' ? sendManifest(response, value, question) : sendIcon(response, value);
  }

  #inSight({ cluster, namespace }: PackageManifestQuestion): PackagesInSight | undefined {
    const observed = this.fleet.of(cluster)?.classic;
    if (observed === undefined) return undefined;
    const seen = [namespace, observed.globalCatalogNamespace];
    const isSeen = ({ source }: CatalogRefresh) => namespace === undefined || seen.includes(source.metadata.namespace);
    const contents = { store: this.content, metas: this.metas };
    return new PackagesInSight(observed.catalogs.all().filter(isSeen), namespace, contents);
  }

  async #list(question: Question<'list'>, packages: PackagesInSight, response: ServerResponse): Promise<void> {
    if (this.#lists >= MAX_LISTS) return refuse(response, TOO_BUSY);
    this.#lists += 1;
    try {
      const pieces = listPieces(question, packages.manifests(question.name));
      const first = await pieces.next(); // what goes wrong at once is an answer, not a broken one
      response.writeHead(200, JSON_TYPE);
      await pipeline(Readable.from(resumed(first, pieces), { objectMode: false }), response);
    } finally {
      this.#lists -= 1;
    }
  }

  #failed(error: unknown, target: string, response: ServerResponse): void {
    const gone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!gone) this.log.error({ target, error }, 'could not list packages');
    if (response.headersSent) response.destroy();
    else refuse(response, error instanceof PeerUnreachable ? unreachable(error) : UNREADABLE);
  }
}

/** Path and query, as the client sent them. */
const targetOf = ({ originalUrl, url = '/' }: Request): string => originalUrl ?? url;

const LIST_HEAD = `{"kind":"PackageManifestList","apiVersion":"${PACKAGE_MANIFEST_API.apiVersion}","metadata":{},"items":[`;

async function* listPieces(
  { namespace, selects }: Question<'list'>,
  manifests: AsyncGenerator<PackageManifest>,
): AsyncGenerator<string> {
  let before = LIST_HEAD;
  for await (const manifest of manifests) {
    if (!selects(manifest.metadata.labels)) continue;
    yield `${before}${JSON.stringify(shownManifest(manifest, namespace))}`;
    before = ',';
  }
  yield `${before === LIST_HEAD ? before : ''}]}\n`;
}

async function* resumed(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}

async function firstOf<T>(items: AsyncGenerator<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

function sendManifest(
  response: ServerResponse,
  manifest: PackageManifest,
  { namespace }: PackageManifestQuestion,
): void {
  response.writeHead(200, JSON_TYPE).end(`${JSON.stringify(shownManifest(manifest, namespace))}\n`);
}

/**
 * Sends an icon. Icons are documents of other authors: a browser must not run their scripts as if they were
 * the hub's.
 */
function sendIcon(response: ServerResponse, manifest: PackageManifest): void {
  const { bytes, mediaType, etag } = packageIcon(manifest);
  const type = /^image\/[a-z0-9.+-]+$/i.test(mediaType) ? mediaType : 'application/octet-stream';
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    Etag: etag.replaceAll(/[^\x20-\x7e]/g, ''),
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(bytes);
}

const UNREADABLE: PackageManifestRefusal = {
  code: 500,
  reason: 'InternalError',
  message: 'the hub could not read the packages; see its log',
};
const unreachable = ({ message }: PeerUnreachable): PackageManifestRefusal => ({
  code: 503,
  reason: 'ServiceUnavailable',
  message,
});
const TOO_BUSY: PackageManifestRefusal = {
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'too many lists of packages are being read; try again later',
};
const notFound = (name: string): PackageManifestRefusal => ({
  code: 404,
  reason: 'NotFound',
  message: `packagemanifests.packages.operators.coreos.com "${name}" not found`,
});
const unknownCluster = (cluster: string): PackageManifestRefusal => ({
  code: 404,
  reason: 'NotFound',
  message: `cluster "${cluster}" is not watched by this hub, or not yet`,
});

const REASONS = { 401: 'Unauthorized', 403: 'Forbidden', 503: 'ServiceUnavailable' } as const;
const refusalOf = ({ status, message }: Exclude<Admission, { admitted: true }>): PackageManifestRefusal => ({
  code: status,
  reason: REASONS[status],
  message,
});

/** As an API server says no. */
function refuse(response: ServerResponse, { code, reason, message }: PackageManifestRefusal): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  response.writeHead(code, { ...JSON_TYPE, ...refusalHeaders(code) }).end(`${JSON.stringify(status)}\n`);
}
