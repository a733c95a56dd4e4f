import { parentPort } from 'node:worker_threads';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { solve, type ThreadRequest } from './solve.js';

/** Records of earlier problems. The pool names the ones to forget. */
const records = new Map<string, PackageRecord>();

// A solve may take the processor for seconds; off the main thread it blocks neither the queue's
// locks nor the health page.
parentPort?.on('message', ({ problem, change }: ThreadRequest) => {
  try {
    for (const hash of change.forget) records.delete(hash);
    for (const [hash, record] of change.add) records.set(hash, record);
    parentPort?.postMessage({ resolution: solve({ problem, records }) });
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
parentPort?.postMessage({ ready: true });
