import { APPLIER, POLLER } from '#core/kernel/actions/field-managers';
import type { RecordedRequest } from '#testing/cluster/server/request-log';
import type { KillEnvironment } from './kill-environment.js';

/**
 * The service dies at the write with this number. The API server never sees it, or has already performed it.
 */
export type KillPoint = Readonly<{ write: number; when: 'before' | 'after' }>;

/** Services that write to clusters, with how they call themselves there. */
const NAMES = { applier: APPLIER, 'catalog-poller': POLLER } as const;
type Victim = keyof typeof NAMES;

/** Kills a service when its count of writes comes to a point, and starts another. */
export class WriteCounter {
  writes = 0;
  readonly killed: string[] = [];
  #restarts: Promise<void> = Promise.resolve();
  readonly #kills: KillPoint[];

  constructor(
    private readonly environment: KillEnvironment,
    private readonly victim: Victim,
    kills: readonly KillPoint[],
  ) {
    this.#kills = [...kills];
    environment.cluster.lossOf = (request) => this.#see(request);
  }

  async end(): Promise<void> {
    this.environment.cluster.lossOf = () => undefined;
    await this.#restarts;
  }

  #see(request: RecordedRequest): 'request' | 'answer' | undefined {
    const victim = this.environment.service(this.victim);
    if (!isWriteOf(this.victim, request) || !victim.running) return undefined;
    this.writes += 1;
    const [point] = this.#kills;
    if (point === undefined || this.writes < point.write) return undefined;
    this.#kills.shift();
    this.killed.push(`${point.when} its write ${point.write}: ${describe(request)}`);
    const gone = victim.stop('SIGKILL');
    this.#restarts = this.#restarts.then(() => gone).then(() => victim.start());
    return point.when === 'before' ? 'request' : 'answer';
  }
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const isWriteOf = (victim: Victim, { userAgent, verb, resource }: RecordedRequest): boolean =>
  userAgent === NAMES[victim] && WRITES.has(verb) && !(resource ?? '').endsWith('reviews');

const describe = ({ verb, resource, name = '', subresource = '' }: RecordedRequest): string =>
  [verb, resource, name, subresource].filter((part) => part !== '').join(' ');
