import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A request as an attack sees it: the path without the prefix of the cluster. */
export type AttackedRequest = Readonly<{ method: string; path: string; query: URLSearchParams }>;

/** Behaviour of an API server that attacks its clients. */
export type Attack = Readonly<{
  /** Answers a request in its own way; false if it is served as usual. */
  answer?: (request: AttackedRequest, response: ServerResponse) => boolean;
  /** Takes a connection in its own way, before TLS; false if it is served as usual. */
  connect?: (socket: Socket) => boolean;
}>;

const JSON_HEADERS = { 'content-type': 'application/json' };
const CATALOG_SOURCES = '/apis/operators.coreos.com/v1alpha1/catalogsources';
const PAGE = 500;
const EVERY_MS = 1_000;

/** A collection of objects, of a namespace or of all: `/apis/GROUP/VERSION/PLURAL`. */
const COLLECTION = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?[^/]+$/;
const DISCOVERY = /^\/(?:api|apis\/[^/]+)\/[^/]+$/;

const isWatch = ({ query }: AttackedRequest): boolean => query.get('watch') === 'true';
const isList = (request: AttackedRequest): boolean =>
  request.method === 'GET' && COLLECTION.test(request.path) && !isWatch(request);
const isLargeList = (request: AttackedRequest): boolean => isList(request) && request.path === CATALOG_SOURCES;

let made = 0;
/** About 1 KiB; no two have a name in common. */
function anObject(): Readonly<Record<string, unknown>> {
  made += 1;
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: {
      name: `made-${made}`,
      namespace: 'hostile',
      uid: `uid-${made}`,
      resourceVersion: String(1_000_000 + made),
    },
    spec: { sourceType: 'grpc', address: '198.51.100.7:1', description: 'x'.repeat(800) },
  };
}

const aPage = (metadata: Readonly<Record<string, unknown>>, items: number): string =>
  JSON.stringify({
    kind: 'List',
    metadata: { resourceVersion: '1', ...metadata },
    items: Array.from({ length: items }, anObject),
  });

/** Sends pieces as fast as the client takes them, for ever. */
function flood(response: ServerResponse, piece: () => string | Buffer): void {
  const send = () => {
    for (;;) {
      if (response.destroyed) return;
      if (!response.write(piece())) break;
    }
    response.once('drain', () => setImmediate(send));
  };
  send();
}

/** Sends a piece from time to time, for ever. */
function trickle(response: ServerResponse | Socket, piece: () => string, everyMs: number): void {
  const timer = setInterval(() => response.write(piece()), everyMs);
  response.on('close', () => clearInterval(timer));
}

function begin(response: ServerResponse, start: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { ...JSON_HEADERS, ...headers });
  response.write(start);
}

function end(response: ServerResponse, body: string, status = 200): true {
  response.writeHead(status, JSON_HEADERS);
  response.end(body);
  return true;
}

const LIST_START = '{"kind":"List","metadata":{"resourceVersion":"1"},"items":[';
const someItems = (): string => `${Array.from({ length: 64 }, () => JSON.stringify(anObject())).join(',')},`;
const added = (): string => `${JSON.stringify({ type: 'ADDED', object: anObject() })}\n`;
const manyAdded = (): string => Array.from({ length: 64 }, added).join('');
const BLANKS = Buffer.alloc(64 * 1024, ' ');

const expired = JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'too old resource version',
});

const EXPIRED_EVENT = `{"type":"ERROR","object":${expired}}\n`;

const only =
  (
    isMeant: (request: AttackedRequest) => boolean,
    answer: (response: ServerResponse, request: AttackedRequest) => void,
  ) =>
  (request: AttackedRequest, response: ServerResponse): boolean => {
    if (!isMeant(request)) return false;
    answer(response, request);
    return true;
  };

let packed: Buffer | undefined;
/**
 * Returns packed blanks, a thousandth of their unpacked size; many members follow one another in one body.
 */
function blanksPacked(): Buffer {
  packed ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  return Buffer.concat(Array.from({ length: 32 }, () => packed ?? Buffer.alloc(0)));
}

/** An attack on lists: watches end with 410, so that every cache lists anew. */
const onLists =
  (answer: (response: ServerResponse, request: AttackedRequest) => void) =>
  (request: AttackedRequest, response: ServerResponse): boolean => {
    if (isWatch(request)) return end(response, EXPIRED_EVENT);
    if (!isList(request)) return false;
    answer(response, request);
    return true;
  };

/** Every attack by its name. */
export const attacks = {
  'lists with a new continue token on every page': {
    answer: onLists((response) => end(response, aPage({ continue: `next-${made}` }, PAGE))),
  },
  'lists with the same continue token on every page': {
    answer: onLists((response) => end(response, aPage({ continue: 'again' }, 1))),
  },
  'lists with empty pages': {
    answer: onLists((response) => {
      made += 1;
      end(response, aPage({ continue: `next-${made}` }, 0));
    }),
  },
  'lists that never end, fast': {
    answer: onLists((response) => {
      begin(response, LIST_START);
      flood(response, someItems);
    }),
  },
  'lists that never end, slowly': {
    answer: onLists((response) => {
      begin(response, LIST_START);
      trickle(response, someItems, 100);
    }),
  },
  'lists that unpack to gigabytes': {
    answer: onLists((response) => {
      response.writeHead(200, { ...JSON_HEADERS, 'content-encoding': 'gzip' });
      response.end(blanksPacked());
    }),
  },
  'a watch with a flood of ADDED events': {
    answer: only(
      (request) => isWatch(request) && request.path === CATALOG_SOURCES,
      (response) => {
        begin(response, '');
        flood(response, manyAdded);
      },
    ),
  },
  'watches with one event that never ends': {
    answer: only(isWatch, (response) => {
      begin(response, '{"type":"ADDED","object":{"metadata":{"name":"');
      flood(response, () => 'a'.repeat(64 * 1024));
    }),
  },
  'discovery documents without end': {
    answer: only(
      ({ method, path }) => method === 'GET' && DISCOVERY.test(path),
      (response) => {
        begin(response, '{"kind":"APIResourceList","resources":[');
        flood(response, () => {
          made += 1;
          return `{"name":"kinds${made}","kind":"Kind${made}","namespaced":true},`.repeat(500);
        });
      },
    ),
  },
  'answers to access reviews without end': {
    answer: only(
      ({ method, path }) => method === 'POST' && path.startsWith('/apis/authorization.k8s.io/'),
      (response) => {
        begin(response, '{"kind":"SelfSubjectAccessReview"');
        flood(response, () => BLANKS);
      },
    ),
  },
  'answers of one byte a second': {
    answer: (_request, response) => {
      begin(response, '');
      trickle(response, () => ' ', EVERY_MS);
      return true;
    },
  },
  'watches that end with 410 at once': {
    answer: only(isWatch, (response) => end(response, EXPIRED_EVENT)),
  },
  'lists whose second page is 410': {
    answer: onLists((response, { query }) =>
      query.has('continue') ? end(response, expired, 410) : end(response, aPage({ continue: `next-${made}` }, PAGE)),
    ),
  },
  'lists of one kind that is too large': {
    answer: only(isLargeList, (response) => end(response, aPage({ continue: `next-${made}` }, PAGE))),
  },
  'TLS handshakes of one byte a second': {
    connect: (socket) => {
      socket.resume();
      trickle(socket, () => '\u0016', EVERY_MS);
      return true;
    },
  },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;
