import { writeSync } from 'node:fs';
import { endWithParent } from '#platform/processes/end-with-parent';
import { finished, outputFailure } from './process-end.js';
import { run } from './program.js';
import { ExitCode, processIo } from './terminal/io.js';

process.stdout.on('error', (error: unknown) => {
  const { exit, line } = outputFailure(error);
  if (line !== undefined) complain(`${line}\n`);
  process.exit(exit);
});
// If standard error takes no text, that text is lost; the answer and the exit code are not.
process.stderr.on('error', () => undefined);

/** Writes synchronously, since the process ends right after it. */
function complain(text: string): void {
  try {
    writeSync(process.stderr.fd, text);
  } catch {
    // Standard error is closed too; the exit code remains.
  }
}

// In the main program alone: tests run commands in a process that has a channel of its own.
endWithParent();
await finished(run(process.argv.slice(2), processIo), process, () => {
  complain('error: the command stopped early: it waits for an event that can no longer occur. Report this\n');
  process.exit(ExitCode.remoteFailed);
});
