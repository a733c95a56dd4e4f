import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Optional, Param, Res } from '@nestjs/common';
import { refusalHeaders } from '#core/kernel/http-access/admission';
import { CONTENT_PATH, serveContent } from '#platform/content/content-handler';
import type { ContentStore } from '#platform/content/content-store.port';
import type { HttpAccess } from '#platform/http/http-access';
import { ACCESS, CONTENT, LOG, PEERS } from '#platform/hub/hub-tokens';
import type { PeerAnswer } from '#platform/peers/peer-requests';
import { PeerUnreachable } from '#platform/peers/peer-unreachable.error';
import type { Peers } from '#platform/peers/peers';
import type { Log } from '#platform/telemetry/log.port';

/** The part of Fastify's reply that we use. */
type Reply = Readonly<{
  status(code: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(body: Readable): unknown;
}>;

/**
 * Serves catalog content by digest to the other processes of the hub, and to clients with a token that allows
 * it.
 */
@Controller()
export class ContentController {
  constructor(
    @Inject(ACCESS) private readonly access: HttpAccess,
    @Inject(CONTENT) private readonly store: ContentStore,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(PEERS) private readonly peers?: Peers,
  ) {}

  @Get(`${CONTENT_PATH}:digest`)
  async content(
    @Param('digest') digest: string,
    @Headers() requested: IncomingHttpHeaders,
    @Res() reply: Reply,
  ): Promise<void> {
    const path = `${CONTENT_PATH}${digest}`;
    const admission = await this.access.admit({ area: 'content', path, authorization: requested.authorization });
    if (!admission.admitted) return refuse(reply, admission.status, admission.message);
    const own = await serveContent(this.store, 'GET', path);
    try {
      const { status, headers, body } = own.status === 404 ? ((await this.#elsewhere(path, requested)) ?? own) : own;
      reply.status(status).headers(headers).send(body);
    } catch (error) {
      if (!(error instanceof PeerUnreachable)) throw error;
      this.log.warn({ digest, error }, 'could not ask another poller for content');
      refuse(reply, 503, error.message);
    }
  }

  /** Pollers have the content of the catalogs of their own clusters. */
  async #elsewhere(path: string, headers: IncomingHttpHeaders): Promise<PeerAnswer | undefined> {
    return this.peers?.withContent({ method: 'GET', target: path, headers, path });
  }
}

function refuse(reply: Reply, status: 401 | 403 | 503, message: string): void {
  const body = Readable.from([`${JSON.stringify({ error: message })}\n`], { objectMode: false });
  reply.status(status).headers({ ...refusalHeaders(status), 'content-type': 'application/json' });
  reply.send(body);
}
