import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { HttpAccess } from '#platform/http/http-access';
import { PeerUnreachable } from '#platform/peers/peer-unreachable.error';
import type { AdmittedRequest, Peers } from '#platform/peers/peers';
import { silentLog } from '#platform/telemetry/log.port';
import { ContentController } from './content.controller.js';
import { MetasMiddleware } from './metas.middleware.js';
import { PackageManifestsMiddleware } from './package-manifests.middleware.js';

const PACKAGES = '/clusters/west/apis/packages.operators.coreos.com/v1/packagemanifests';
const METAS = '/clusters/west/catalogs/lamps/api/v1/metas';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const NO_FLEET = { of: () => undefined } as unknown as ObservedFleet;

let asked: (readonly [cluster: string, path: string, target: string])[];
let peerAnswers: 'answer' | 'nothing' | 'silence';
let access: HttpAccess;
let server: Server | undefined;
let origin: string;

const answer = () => {
  if (peerAnswers === 'silence') throw new PeerUnreachable('http://10.0.0.7:8080', 'no connection');
  if (peerAnswers === 'nothing') return undefined;
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: Readable.from(['from ', 'another']) };
};
const peers = {
  ofCluster: async (cluster: string, { path, target }: AdmittedRequest) => {
    asked.push([cluster, path, target]);
    return answer();
  },
  withContent: async ({ path, target }: AdmittedRequest) => {
    asked.push(['', path, target]);
    return answer();
  },
} as unknown as Peers;

beforeEach(async () => {
  asked = [];
  peerAnswers = 'answer';
  access = HttpAccess.open();
  server = createServer((request, response) => {
    const store = new MemoryContentStore();
    const packages = new PackageManifestsMiddleware(access, store, silentLog, {} as never, NO_FLEET, peers);
    const metas = new MetasMiddleware(access, silentLog, NO_FLEET, peers);
    packages.use(request, response, () => metas.use(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server?.close().closeAllConnections());

const ask = async (path: string) => {
  const response = await fetch(`${origin}${path}`);
  return { status: response.status, text: await response.text() };
};

describe.each([
  { what: 'packages', area: 'packages', path: PACKAGES, query: '?labelSelector=a%3Db' },
  { what: 'content of a ClusterCatalog', area: 'catalogs', path: METAS, query: '?package=lamp' },
] as const)('$what of a cluster that another poller works for', ({ area, path, query }) => {
  it('come from that poller', async () => {
    expect(await ask(`${path}${query}`)).toEqual({ status: 200, text: 'from another' });
    expect(asked).toEqual([['west', path, `${path}${query}`]]);
  });

  it('are not asked for by a client that may not read them', async () => {
    access = new HttpAccess({ areas: new Set([area]) });
    expect((await ask(path)).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it('are not found where no poller has them', async () => {
    peerAnswers = 'nothing';
    expect((await ask(path)).status).toBe(404);
  });

  it('can be asked for again while that poller does not answer', async () => {
    peerAnswers = 'silence';
    const { status, text } = await ask(path);
    expect([status, text]).toEqual([503, expect.stringContaining('try again')]);
  });
});

describe('content that another poller has', () => {
  const content = async (areas: readonly 'content'[] = []) => {
    const seen: { status?: number; body?: AsyncIterable<Uint8Array | string> } = {};
    const reply = {
      status: (status: number) => Object.assign(seen, { status }) && reply,
      headers: () => reply,
      send: (body: AsyncIterable<Uint8Array>) => void Object.assign(seen, { body }),
    };
    const required = new HttpAccess({ areas: new Set(areas) });
    const controller = new ContentController(required, new MemoryContentStore(), silentLog, peers);
    await controller.content(DIGEST, {}, reply as never);
    const parts = await Array.fromAsync(seen.body ?? []);
    return { status: seen.status, text: parts.map((part) => Buffer.from(part as Uint8Array).toString()).join('') };
  };

  it('comes from there', async () => {
    expect(await content()).toEqual({ status: 200, text: 'from another' });
    expect(asked).toEqual([['', `/content/${DIGEST}`, `/content/${DIGEST}`]]);
  });

  it('is asked for by no client that may not read it', async () => {
    expect((await content(['content'])).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it('is not found where none has it, and can be asked for again where one does not answer', async () => {
    peerAnswers = 'nothing';
    expect((await content()).status).toBe(404);
    peerAnswers = 'silence';
    expect(await content()).toMatchObject({ status: 503, text: expect.stringContaining('try again') });
  });
});
