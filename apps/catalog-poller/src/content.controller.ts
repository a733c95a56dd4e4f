import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import { refusalHeaders } from '#core/kernel/http-access/admission';
import type { HttpAccess } from '#platform/http-access/http-access';
import { ACCESS, CONTENT } from '#platform/hub/hub-tokens';
import { CONTENT_PATH, serveContent } from '#platform/store/content-handler';
import type { ContentStore } from '#platform/store/content-store.port';

/** What we use of Fastify's reply. */
type Reply = Readonly<{
  status(code: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(body: Readable): unknown;
}>;

/**
 * Serves catalog content by digest to the other processes of the hub, and to clients whose token allows it.
 */
@Controller()
export class ContentController {
  constructor(
    @Inject(ACCESS) private readonly access: HttpAccess,
    @Inject(CONTENT) private readonly store: ContentStore,
  ) {}

  @Get(`${CONTENT_PATH}:digest`)
  async content(
    @Param('digest') digest: string,
    @Headers('authorization') authorization: string | undefined,
    @Res() reply: Reply,
  ): Promise<void> {
    const path = `${CONTENT_PATH}${digest}`;
    const admission = await this.access.admit({ area: 'content', path, authorization });
    if (!admission.admitted) {
      const body = Readable.from([`${JSON.stringify({ error: admission.message })}\n`], { objectMode: false });
      reply
        .status(admission.status)
        .headers({ ...refusalHeaders(admission.status), 'content-type': 'application/json' });
      reply.send(body);
      return;
    }
    const { status, headers, body } = await serveContent(this.store, 'GET', path);
    reply.status(status).headers(headers).send(body);
  }
}
