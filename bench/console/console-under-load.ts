import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { SERVICE_ALLOCATOR, SERVICE_ARGUMENTS } from '#platform/processes/service-memory';
import { RedisViewWriter } from '#platform/view/redis-view-writer';
import { pause } from '#testing/patience';
import { usageOf } from '../fleet/process-usage.js';
import { clusterName, madeCluster, madeOperator, packageName, rowsOfCluster } from './made-rows.js';

export type ConsoleLoad = Readonly<{
  clusters: number;
  operators: number;
  seconds: number;
  streams: number;
  changesPerSecond: number;
  listsPerSecond: number;
}>;

/** Milliseconds, in order of size. */
export type Times = readonly number[];

export type ConsoleMeasures = Readonly<{
  rows: number;
  /** From the start of its process until the answers count all rows. */
  filledSeconds: number;
  /** Resident memory when all rows are there, and the most so far at the end. */
  filledMiB: number;
  peakMiB: number;
  cpuShare: number;
  lists: Times;
  /** From the write of a row until a stream brings it. */
  news: Times;
  /** Answers other than 200. */
  refused: number;
}>;

const PREFIX = 'bench-console';
const REPORT_MEMORY = join(PROJECT_ROOT, 'dist', 'bench', 'console', 'console.process.js');
const Ready = z.object({ origin: z.string(), link: z.string() });
const WRITERS_AT_ONCE = 20;

/** Questions as pages ask them: filtered, sorted, a window further down. */
const questions = (at: number): string => {
  const all = [
    'operators?limit=200&sort=package',
    'operators?limit=200&standing=failed,blocked',
    `operators?limit=200&sort=-version&offset=${(at % 20) * 200}`,
    `operators?limit=200&package=${packageName(at)}&sort=cluster`,
    `operators?limit=200&cluster=${clusterName(at % 100)}`,
    'clusters?limit=200&sort=cluster',
    'packages?limit=200',
    'fleet',
    'causes?limit=20',
    `search?q=${packageName(at)}`,
  ];
  return all[at % all.length] ?? '';
};

/** A console over made-up rows in Redis, in a process of its own. */
export class ConsoleUnderLoad {
  readonly writer: RedisViewWriter;
  #edition = 1;

  private constructor(
    private readonly child: ReturnType<typeof fork>,
    private readonly load: ConsoleLoad,
    readonly link: string,
    private readonly origin: string,
    readonly filledSeconds: number,
    redis: Redis,
  ) {
    this.writer = new RedisViewWriter(redis, PREFIX);
  }

  static async start(redis: Redis, redisUrl: string, load: ConsoleLoad): Promise<ConsoleUnderLoad> {
    const writer = new RedisViewWriter(redis, PREFIX);
    for (let at = 0; at < load.clusters; at += WRITERS_AT_ONCE) {
      const some = Array.from({ length: Math.min(WRITERS_AT_ONCE, load.clusters - at) }, (_, index) => at + index);
      await Promise.all(
        some.map((one) =>
          writer.write({ cluster: clusterName(one), changed: madeCluster(one, load.operators), removed: [] }),
        ),
      );
    }
    const begun = performance.now();
    const child = fork(REPORT_MEMORY, [], {
      execArgv: [...SERVICE_ARGUMENTS],
      env: { ...process.env, ...SERVICE_ALLOCATOR, BENCH_REDIS_URL: redisUrl, BENCH_PREFIX: PREFIX },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [message] = await once(child, 'message');
    const { origin, link } = Ready.parse(message);
    const filled = async () => {
      const headers = { authorization: 'Bearer person-0' };
      const answer = await fetch(`${origin}/api/v1/operators?limit=1`, { headers });
      return z.looseObject({ total: z.int() }).parse(await answer.json()).total;
    };
    while ((await filled()) < load.clusters * load.operators) await pause(100);
    return new ConsoleUnderLoad(child, load, link, origin, (performance.now() - begun) / 1_000, redis);
  }

  /** One more version of an operator; the version. */
  async change(clusterAt: number, at: number): Promise<string> {
    const row = madeOperator(clusterAt, at, this.#edition++);
    await this.writer.write({ cluster: row.cluster, changed: [row], removed: [] });
    return row.version;
  }

  async measure(): Promise<ConsoleMeasures> {
    const { load, child } = this;
    const filledMiB = await this.#residentMiB();
    const written = new Map<string, number>();
    const news: number[] = [];
    const end = new AbortController();
    const streams = Array.from({ length: load.streams }, (_, at) =>
      this.#follow(at, end.signal, (key) => {
        const at = written.get(key);
        if (at !== undefined) news.push(performance.now() - at);
      }),
    );
    const before = await usageOf(child.pid ?? 0);
    const begun = performance.now();
    const lists: number[] = [];
    let refused = 0;
    const writes = this.#paced(load.changesPerSecond, async (at) => {
      const [cluster, operator] = [(at * 31) % load.clusters, at % load.operators];
      const row = madeOperator(cluster, operator, this.#edition++);
      written.set(`${row.cluster} ${row.id} ${row.version}`, performance.now());
      await this.writer.write({ cluster: row.cluster, changed: [row], removed: [] });
    });
    const reads = this.#paced(load.listsPerSecond, async (at) => {
      const asked = performance.now();
      const headers = { authorization: `Bearer person-${at % load.streams}` };
      const answer = await fetch(`${this.origin}/api/v1/${questions(at)}`, { headers });
      await answer.arrayBuffer();
      lists.push(performance.now() - asked);
      if (!answer.ok) refused += 1;
    });
    await Promise.all([writes, reads]);
    const seconds = (performance.now() - begun) / 1_000;
    // The last ones are gathered for half a second.
    await pause(2_000);
    const after = await usageOf(child.pid ?? 0);
    end.abort();
    await Promise.all(streams);
    return {
      ...{ rows: load.clusters * rowsOfCluster(load.operators), filledSeconds: this.filledSeconds, filledMiB },
      peakMiB: after?.peakMiB ?? Number.NaN,
      cpuShare: ((after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0)) / seconds,
      ...{ lists: sorted(lists), news: sorted(news), refused },
    };
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.disconnect();
    await gone;
  }

  async #residentMiB(): Promise<number> {
    return (await usageOf(this.child.pid ?? 0))?.residentMiB ?? Number.NaN;
  }

  /** Begins one piece of work after the other at its time, whether those before have ended or not. */
  async #paced(perSecond: number, work: (at: number) => Promise<void>): Promise<void> {
    const begun = performance.now();
    const open: Promise<void>[] = [];
    for (let at = 0; at < perSecond * this.load.seconds; at += 1) {
      const wait = begun + (at * 1_000) / perSecond - performance.now();
      if (wait > 0) await pause(wait);
      open.push(work(at));
    }
    await Promise.all(open);
  }

  async #follow(person: number, signal: AbortSignal, got: (key: string) => void): Promise<void> {
    const Rows = z.looseObject({ changed: z.array(z.looseObject({ cluster: z.string(), id: z.string() })) });
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event !== 'rows') return;
        for (const row of Rows.parse(JSON.parse(data)).changed) got(`${row.cluster} ${row.id} ${row['version']}`);
      },
    });
    const headers = { authorization: `Bearer person-${person}` };
    try {
      const { body } = await fetch(`${this.origin}/api/v1/events`, { headers, signal });
      const decoder = new TextDecoder();
      for await (const piece of body ?? []) parser.feed(decoder.decode(piece, { stream: true }));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

const sorted = (times: readonly number[]): Times => times.toSorted((a, b) => a - b);
