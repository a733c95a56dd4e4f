import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { collectAll } from '#platform/processes/collect-at-rest';
import { type ReadRequest, readCatalog } from './read-catalog.js';
import type { BytesWritten, Reply } from './reader-thread.js';

/** A heap of that size has grown by a large catalog: its garbage goes before the result is worked on. */
const LARGE_BYTES = 16 * 1024 * 1024;

// Parsing a large catalog takes seconds; off the main thread, watches and health
// checks are answered meanwhile.
parentPort?.on('message', async (request: ReadRequest) => {
  const reply: Reply = await readCatalog(request, (wrote) =>
    parentPort?.postMessage({ wrote } satisfies BytesWritten),
  ).then(
    (read) => ({ read }),
    (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
  );
  if (getHeapStatistics().total_heap_size > LARGE_BYTES) collectAll();
  parentPort?.postMessage(reply);
});
