import { parentPort } from 'node:worker_threads';
import { type ReadRequest, readCatalog } from './read-catalog.js';
import type { BytesWritten, Reply } from './reader-thread.js';

// Parsing a large catalog takes seconds; off the main thread, watches and health
// checks are answered meanwhile.
parentPort?.on('message', async (request: ReadRequest) => {
  const reply: Reply = await readCatalog(request, (wrote) =>
    parentPort?.postMessage({ wrote } satisfies BytesWritten),
  ).then(
    (read) => ({ read }),
    (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
  );
  parentPort?.postMessage(reply);
});
