import { parentPort } from 'node:worker_threads';
import { type SolveRequest, solve } from './solve.js';

// A solve may take the processor for seconds; off the main thread it blocks neither the queue's locks nor the health page.
parentPort?.on('message', (request: SolveRequest) => {
  try {
    parentPort?.postMessage({ resolution: solve(request) });
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
