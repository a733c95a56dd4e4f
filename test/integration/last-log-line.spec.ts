import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const LOG = join(PROJECT_ROOT, 'dist/libs/platform/src/telemetry/log.js');

/** A process that logs and ends while its only thread for files is busy, as on a machine under load. */
const PROGRAM = `
import { pbkdf2 } from 'node:crypto';
import { createLog } from ${JSON.stringify(LOG)};
const log = createLog({ service: 'applier', level: 'info' });
pbkdf2('busy', 'salt', 500_000, 64, 'sha512', () => undefined);
log.warn({}, 'closed without Redis');
log.info({}, 'applier has ended');
process.exit(0);
`;

it('what a process logs right before it ends is written, in order', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
  const messages = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line).msg);
  expect(messages).toEqual(['closed without Redis', 'applier has ended']);
});
