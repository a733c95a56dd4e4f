import { processIo } from './io.js';
import { run } from './program.js';

/** As a shell tells of a process that wrote to a closed pipe. */
const CLOSED_PIPE = 128 + 13;

// `flotilla … | head`: who reads has seen enough, which is no failure to complain about.
process.stdout.on('error', (error: Error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(CLOSED_PIPE);
  throw error;
});

await run(process.argv.slice(2), processIo);
