import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Loaded by Node before a service: at SIGUSR2 garbage is collected, and the memory of the process written.

/** V8 gives pages back to the system in the background. */
const GIVEN_BACK_MS = 3_000;

process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  setTimeout(() => {
    writeFileSync(process.env['FLOTILLA_BENCH_MEMORY'] ?? '', `${JSON.stringify(process.memoryUsage())}\n`);
  }, GIVEN_BACK_MS);
});
