import { Controller, type DynamicModule, Get, Headers, Inject, Module, Res } from '@nestjs/common';
import { refusalHeaders } from '#core/kernel/http-access/admission';
import type { HttpAccess } from '../http/http-access.js';
import type { Hub } from '../hub/hub.js';
import { ACCESS, HUB } from '../hub/hub-tokens.js';
import type { JobQueue } from '../queue/job-queue.port.js';
import { readableQueues } from '../queue/queues.js';
import { inTime } from '../telemetry/in-time.js';
import { QUEUE_PAGE_HEADERS, renderQueues, type ShownQueue } from './render-queues.js';

/** The part of Fastify's reply that we use. */
type Reply = Readonly<{
  status(code: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(body: string): unknown;
}>;

const PATH = '/queues';
/** Most jobs of each state of each queue. */
const MOST_JOBS = 50;
const DEADLINE_MS = 5_000;

/**
 * Shows the queues that the service may read, for people. A browser asks for a name and a password, and sends
 * both as `Basic`: the password is the token, whatever the name.
 */
@Controller()
class QueuePageController {
  constructor(
    @Inject(ACCESS) private readonly access: HttpAccess,
    @Inject(HUB) private readonly hub: Pick<Hub, 'queues' | 'key' | 'clock' | 'service'>,
  ) {}

  @Get('queues')
  async page(@Headers('authorization') authorization: string | undefined, @Res() reply: Reply): Promise<void> {
    const question = { area: 'health', path: PATH, authorization: asBearer(authorization) } as const;
    const admission = await this.access.admit(question);
    if (!admission.admitted) {
      const { status, message } = admission;
      const asked = status === 401 ? { 'www-authenticate': 'Basic realm="flotilla", charset="UTF-8"' } : {};
      const headers = { ...refusalHeaders(status), ...asked, 'content-type': 'text/plain; charset=utf-8' };
      reply.status(status).headers(headers).send(`${message}\n`);
      return;
    }
    const { queues, key, clock, service } = this.hub;
    const shown = await Promise.all(readableQueues(queues, service, key !== undefined).map(shownQueue));
    reply.status(200).headers(QUEUE_PAGE_HEADERS).send(renderQueues(shown, clock.now()));
  }
}

async function shownQueue(queue: Pick<JobQueue<never>, 'name' | 'counts' | 'sample'>): Promise<ShownQueue> {
  const [counts, jobs] = await Promise.all([
    inTime(DEADLINE_MS, queue.counts()),
    inTime(DEADLINE_MS, queue.sample(MOST_JOBS)),
  ]);
  return { name: queue.name, counts, jobs };
}

/** Other headers are left as they are. */
function asBearer(authorization: string | undefined): string | undefined {
  const [, code] = /^basic ([A-Za-z0-9+/=]{1,16384})$/i.exec(authorization ?? '') ?? [];
  if (code === undefined) return authorization;
  const [, password = ''] = /^[^:]*:(.*)$/.exec(Buffer.from(code, 'base64').toString('utf8')) ?? [];
  return `Bearer ${password}`;
}

@Module({ controllers: [QueuePageController] })
class QueuePageModule {}

/** The page at `/queues`. Needs the module of the hub. */
export const queuePageModule = (): DynamicModule => ({ module: QueuePageModule });
