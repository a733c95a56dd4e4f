import { usageOf } from '../fleet/process-usage.js';
import { type CatalogServer, ownServer, startServer } from '../metas/catalog-server.js';
import { packagesAt, type Question, questionFor, questionsAbout, timed } from '../metas/questions.js';
import type { Comparison, Sample } from './comparison.js';

/**
 * Questions in one block; the median of the block counts. Of the largest answers a block has a tenth of that.
 */
const BLOCK = 200;
const LARGE_BYTES = 5_000_000;

/** Two servers of one catalog; only ours if there is no other. */
export type ComparedServers = Readonly<{ ours: CatalogServer; original?: CatalogServer; stop: () => Promise<void> }>;

/**
 * Starts both servers. `original` is a command that prints a URL ending in `/all`, as `flotilla catalog
 * serve` does.
 */
export async function startServers(
  original: readonly string[] | undefined,
  directory: string,
): Promise<ComparedServers> {
  const ours = await startServer(ownServer(directory));
  try {
    const theirs = original === undefined ? undefined : await startServer(original);
    const stop = async () => {
      await ours.stop();
      await theirs?.stop();
    };
    return { ours, stop, ...(theirs === undefined ? {} : { original: theirs }) };
  } catch (error) {
    await ours.stop();
    throw error;
  }
}

/** The start of a server until it answers, and its memory then. Neither keeps anything from before. */
export function serverStart(original: readonly string[] | undefined, directory: string): Comparison {
  const run = (command: readonly string[]) => async (): Promise<Sample> => {
    const begun = performance.now();
    const server = await startServer(command);
    const wallMs = performance.now() - begun;
    const usage = await usageOf(server.pid);
    await server.stop();
    return usage === undefined ? { wallMs } : { wallMs, cpuMs: 1_000 * usage.cpuSeconds, peakMiB: usage.peakMiB };
  };
  return {
    work: 'start a server of v4.20',
    ours: run(ownServer(directory)),
    ...(original === undefined ? {} : { original: run(original) }),
  };
}

/** Every kind of question, each asked once beforehand, in blocks. */
export async function serverQuestions({ ours, original }: ComparedServers): Promise<Comparison[]> {
  const { names, largest } = await packagesAt(ours.base);
  const comparisons: Comparison[] = [];
  for (const question of [...questionsAbout(names), questionFor(largest)]) {
    const { bytes } = await timed(ours.base, { ...question, times: 1 });
    if (original !== undefined) await timed(original.base, { ...question, times: 1 });
    const block = { ...question, times: bytes > LARGE_BYTES || question.path(0) === '/all' ? BLOCK / 20 : BLOCK };
    comparisons.push({
      work: `answer ${question.what}`,
      ours: () => askedBlock(ours, block),
      ...(original === undefined ? {} : { original: () => askedBlock(original, block) }),
    });
  }
  return comparisons;
}

/** Fewer answers than this have no 99th percentile. */
const FEWEST_FOR_P99 = 100;

/** The median and the 99th percentile of a block, and the processor time of the server for one question. */
async function askedBlock({ base, pid }: CatalogServer, question: Question): Promise<Sample> {
  const before = await usageOf(pid);
  const { milliseconds } = await timed(base, question);
  const after = await usageOf(pid);
  const wallMs = milliseconds[Math.floor(milliseconds.length / 2)] ?? Number.NaN;
  const p99Ms = milliseconds[Math.floor(milliseconds.length * 0.99)] ?? Number.NaN;
  const times = milliseconds.length < FEWEST_FOR_P99 ? { wallMs } : { wallMs, p99Ms };
  if (before === undefined || after === undefined) return times;
  const cpuMs = (1_000 * (after.cpuSeconds - before.cpuSeconds)) / question.times;
  return { ...times, cpuMs, peakMiB: after.peakMiB };
}
