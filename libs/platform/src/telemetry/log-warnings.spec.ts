import { expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { createLog } from './log.js';
import { logWarnings } from './log-warnings.js';

it('makes a line of the log of a warning, which Node.js does not print', async ({ onTestFinished }) => {
  const before = process.listeners('warning');
  onTestFinished(() => {
    process.removeAllListeners('warning');
    for (const listener of before) process.on('warning', listener);
  });
  const lines: unknown[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  logWarnings(createLog({ service: 'applier', level: 'info', destination }));
  process.emitWarning('11 close listeners added to [Socket]', 'MaxListenersExceededWarning');
  await expect.poll(() => lines.length, PATIENCE).toBe(1);
  expect(lines).toMatchObject([
    {
      level: 'warn',
      service: 'applier',
      warning: 'MaxListenersExceededWarning',
      error: '11 close listeners added to [Socket]',
      msg: 'Node.js warns',
    },
  ]);
  expect(process.listenerCount('warning')).toBe(1);
});
