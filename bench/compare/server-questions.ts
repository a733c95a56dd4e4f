import type { Agent } from 'node:http';
import { usageOf } from '../fleet/process-usage.js';
import { type CatalogServer, ownServer, startServer } from '../metas/catalog-server.js';
import { packagesAt, type Question, questionFor, questionsAbout, timed } from '../metas/questions.js';
import type { Comparison, Sample } from './comparison.js';

/** Questions in one block, of which the median counts; of the largest answers a tenth of that. */
const BLOCK = 200;
const LARGE_BYTES = 5_000_000;

/** Two servers of one catalog; only ours where there is no other. */
export type ComparedServers = Readonly<{ ours: CatalogServer; original?: CatalogServer; stop: () => Promise<void> }>;

/**
 * `original` is started as `PROGRAM DIRECTORY` and prints a URL that ends in `/all`, as
 * `flotilla catalog serve` does: a program of a few lines around catalogd's storage.
 */
export async function startServers(original: string | undefined, directory: string): Promise<ComparedServers> {
  const ours = await startServer(ownServer(directory));
  try {
    const theirs = original === undefined ? undefined : await startServer([original, directory]);
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

/** Every kind of question, each asked once beforehand, in blocks. */
export async function serverQuestions({ ours, original }: ComparedServers, agent: Agent): Promise<Comparison[]> {
  const { names, largest } = await packagesAt(ours.base, agent);
  const comparisons: Comparison[] = [];
  for (const question of [...questionsAbout(names), questionFor(largest)]) {
    const { bytes } = await timed(ours.base, { ...question, times: 1 }, agent);
    if (original !== undefined) await timed(original.base, { ...question, times: 1 }, agent);
    const block = { ...question, times: bytes > LARGE_BYTES || question.path(0) === '/all' ? BLOCK / 20 : BLOCK };
    comparisons.push({
      work: `answer ${question.what}`,
      ours: () => askedBlock(ours, block, agent),
      ...(original === undefined ? {} : { original: () => askedBlock(original, block, agent) }),
    });
  }
  return comparisons;
}

/** The median time of a block, and the processor time of the server for one question. */
async function askedBlock({ base, pid }: CatalogServer, question: Question, agent: Agent): Promise<Sample> {
  const before = await usageOf(pid);
  const { milliseconds } = await timed(base, question, agent);
  const after = await usageOf(pid);
  const wallMs = milliseconds[Math.floor(milliseconds.length / 2)] ?? Number.NaN;
  if (before === undefined || after === undefined) return { wallMs };
  const cpuMs = (1_000 * (after.cpuSeconds - before.cpuSeconds)) / question.times;
  return { wallMs, cpuMs, peakMiB: after.peakMiB };
}
