import { describe, expect, it } from 'vitest';
import { noteTrouble } from './redis-trouble.js';

describe('noteTrouble', () => {
  it('logs a reason at once, a new reason at once, and the same one again after 30 s', () => {
    const tries = [
      { text: 'connect ECONNREFUSED', atMs: 0, logs: true },
      { text: 'connect ECONNREFUSED', atMs: 2_000, logs: false },
      { text: 'DENIED protected mode', atMs: 4_000, logs: true },
      { text: 'DENIED protected mode', atMs: 33_999, logs: false },
      { text: 'DENIED protected mode', atMs: 34_000, logs: true },
      { text: 'DENIED protected mode', atMs: 36_000, logs: false },
    ];
    let known: Parameters<typeof noteTrouble>[0];
    for (const { text, atMs, logs } of tries) {
      const { trouble, log } = noteTrouble(known, text, atMs);
      expect(log, `${text} at ${atMs}`).toBe(logs);
      known = trouble;
    }
  });

  it('keeps the first line of a reason, and not more than a screen of it', () => {
    expect(noteTrouble(undefined, 'one\r\ntwo', 0).trouble.reason).toBe('one');
    expect(noteTrouble(undefined, 'x'.repeat(5_000), 0).trouble.reason).toBe(`${'x'.repeat(240)}…`);
  });
});
