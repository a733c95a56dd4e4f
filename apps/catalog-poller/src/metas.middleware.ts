import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type NestMiddleware, Optional } from '@nestjs/common';
import { CATALOGS_OF_CLUSTERS, type MetasQuestion } from '#core/catalog/metas/metas-route';
import { canonicalPath } from '#core/kernel/http-access/path-rule';
import { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import type { HttpAccess } from '#platform/http/http-access';
import { ACCESS, LOG, PEERS } from '#platform/hub/hub-tokens';
import { MetasServer } from '#platform/metas/serve-metas';
import type { Peers } from '#platform/peers/peers';
import type { Log } from '#platform/telemetry/log.port';

const pathOf = ({ names: [cluster = '', name = ''], endpoint }: MetasQuestion): string =>
  canonicalPath(['clusters', cluster, 'catalogs', name, 'api', 'v1', endpoint]);

/**
 * The metas API of all clusters' catalogs. Before the router: every method and every odd path is
 * answered by our own rules.
 */
@Injectable()
export class MetasMiddleware implements NestMiddleware<IncomingMessage & { originalUrl?: string }, ServerResponse> {
  readonly #server: MetasServer;

  constructor(
    @Inject(ACCESS) access: HttpAccess,
    @Inject(LOG) log: Log,
    fleet: ObservedFleet,
    @Optional() @Inject(PEERS) peers?: Peers,
  ) {
    this.#server = new MetasServer({
      place: CATALOGS_OF_CLUSTERS,
      find: ([cluster = '', catalog = '']) => fleet.of(cluster)?.v1.catalogs.find(catalog),
      admit: (question, authorization) => access.admit({ area: 'catalogs', path: pathOf(question), authorization }),
      elsewhere: async (question, { method = 'GET', headers }, target) => {
        const [cluster = ''] = question.names;
        return peers?.ofCluster(cluster, { method, target, headers, path: pathOf(question) });
      },
      log,
    });
  }

  use(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse): void {
    void this.#server.answer(request, response, request.originalUrl ?? request.url);
  }
}
