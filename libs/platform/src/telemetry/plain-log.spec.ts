import { describe, expect, it } from 'vitest';
import { PlainLog, plainLine, timedLine } from './plain-log.js';

describe('a line of the log for people', () => {
  it.each([
    {
      facts: {
        level: 'warn',
        time: 't',
        service: 'up',
        cluster: 'east',
        msg: 'watch refused',
        error: { message: 'x' },
      },
      says: 'warning: east: watch refused: x',
    },
    {
      facts: { level: 'error', cluster: 'east', namespace: 'team', name: 'harbor', msg: 'failed', attempts: 3 },
      says: 'error: east/team harbor: failed (attempts 3)',
    },
    {
      facts: { level: 'warn', name: 'FLOTILLA_X', msg: 'no such setting' },
      says: 'warning: FLOTILLA_X: no such setting',
    },
    { facts: { level: 'warn', msg: 'two\nlines\u001b[31m', error: 'why' }, says: 'warning: two lines [31m: why' },
  ])('$says', ({ facts, says }) => {
    expect(plainLine(`${JSON.stringify(facts)}\n`)).toBe(says);
  });

  it('keeps what is no JSON', () => {
    expect(plainLine('(node:1) Warning: x\n')).toBe('(node:1) Warning: x');
  });

  it('is written once a minute, however often it is logged', () => {
    const written: string[] = [];
    let now = 0;
    const log = new PlainLog(
      (text) => written.push(text),
      () => now,
    );
    const line = (time: number) => JSON.stringify({ level: 'warn', time, msg: 'forbidden' });
    log.write(line(1));
    now = 59_000;
    log.write(line(2));
    expect(written).toEqual(['warning: forbidden\n']);
    now = 60_000;
    log.write(line(3));
    expect(written).toHaveLength(2);
  });
});

it('has the time of day and the service before it where several services write', () => {
  const line = JSON.stringify({
    time: '2026-01-02T03:04:05.678Z',
    level: 'info',
    service: 'applier',
    msg: 'listening',
    port: 1,
  });
  expect(timedLine(line)).toBe('03:04:05 applier info: listening (port 1)');
  expect(timedLine('no JSON')).toBe('no JSON');
});
