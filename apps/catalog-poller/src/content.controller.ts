import type { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import { CONTENT_PATH, serveContent } from '#platform/store/content-handler';
import { HUB } from './catalog-poller.js';

/** What we use of Fastify's reply. */
type Reply = Readonly<{
  status(code: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(body: Readable): unknown;
}>;

/** Serves catalog content by digest to the other processes of the hub. */
@Controller()
export class ContentController {
  constructor(@Inject(HUB) private readonly hub: Hub) {}

  @Get(`${CONTENT_PATH}:digest`)
  async content(@Param('digest') digest: string, @Res() reply: Reply): Promise<void> {
    const { status, headers, body } = await serveContent(this.hub.content, 'GET', `${CONTENT_PATH}${digest}`);
    reply.status(status).headers(headers).send(body);
  }
}
