import { describe, expect, it } from 'vitest';
import { isLostConnection, noteTrouble } from './redis-trouble.js';

describe('noteTrouble', () => {
  it('logs the beginning at once, and a line each minute, whatever the reasons are', () => {
    const tries = [
      { text: 'connect ECONNREFUSED', atMs: 0, logs: true },
      { text: 'connect ECONNREFUSED', atMs: 2_000, logs: false },
      { text: 'DENIED protected mode', atMs: 4_000, logs: false },
      { text: 'DENIED protected mode', atMs: 59_999, logs: false },
      { text: 'DENIED protected mode', atMs: 60_000, logs: true },
      { text: 'DENIED protected mode', atMs: 62_000, logs: false },
    ];
    let known: Parameters<typeof noteTrouble>[0];
    for (const { text, atMs, logs } of tries) {
      const { trouble, log } = noteTrouble(known, text, atMs);
      expect(log, `${text} at ${atMs}`).toBe(logs);
      known = trouble;
    }
  });

  it('logs a Redis that comes and goes once a minute, and the end of each trouble that the log has', () => {
    const said: string[] = [];
    let before: Parameters<typeof noteTrouble>[3];
    for (let atMs = 0; atMs < 120_000; atMs += 5_000) {
      const { trouble, log } = noteTrouble(undefined, 'refused', atMs, before);
      if (log) said.push(`${atMs} away`);
      if (trouble.isLogged) said.push(`${atMs} back`);
      before = trouble;
    }
    expect(said).toEqual(['0 away', '0 back', '60000 away', '60000 back']);
  });

  it('keeps the first line of a reason, and not more than a screen of it', () => {
    expect(noteTrouble(undefined, 'one\r\ntwo', 0).trouble.reason).toBe('one');
    expect(noteTrouble(undefined, 'x'.repeat(5_000), 0).trouble.reason).toBe(`${'x'.repeat(240)}…`);
  });
});

describe('isLostConnection', () => {
  it.each([
    [new Error('All sentinels are unreachable. Retrying from scratch after 10ms.'), true],
    [new Error('All sentinels are unreachable and retry is disabled. Last error: Connection is closed.'), true],
    [new Error('Connection is closed.'), true],
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), true],
    [new Error('NOPERM this user has no permissions'), false],
    ['All sentinels are unreachable', false],
  ])('%s: %s', (error, lost) => {
    expect(isLostConnection(error)).toBe(lost);
  });
});
