import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import { ClusterCatalogPoller } from './cluster-catalog-poller.js';

/**
 * The metas API of all clusters' catalogs. Before the router: every method and every odd path is
 * answered by our own rules.
 */
@Injectable()
export class MetasMiddleware implements NestMiddleware<IncomingMessage & { originalUrl?: string }, ServerResponse> {
  constructor(private readonly catalogs: ClusterCatalogPoller) {}

  use(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse): void {
    void this.catalogs.server.answer(request, response, request.originalUrl ?? request.url);
  }
}
