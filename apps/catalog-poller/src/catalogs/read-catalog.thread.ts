import { parentPort, workerData } from 'node:worker_threads';
import { readCatalog } from './read-catalog.js';

// Parsing a large catalog takes seconds; off the main thread, watches and health stay answered meanwhile.
try {
  parentPort?.postMessage({ read: await readCatalog(workerData) });
} catch (error) {
  parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) });
}
