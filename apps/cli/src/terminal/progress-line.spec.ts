import { describe, expect, it } from 'vitest';
import type { Io } from './io.js';
import { withProgress } from './progress-line.js';

const CLEARED = '\r\u001b[K';

function terminal({ isTerminal = true, columns = 40 }: { isTerminal?: boolean; columns?: number } = {}) {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  let now = 0;
  let tick: () => void = () => undefined;
  const io: Io = {
    ...{ out: write, err: write, control: write, isTerminal, columns },
    exit: () => undefined,
    stdin: async () => '',
  };
  const clock = {
    now: () => now,
    every: (_: number, act: () => void) => {
      tick = act;
      return () => {
        tick = () => undefined;
      };
    },
  };
  return {
    written,
    start: (what?: string) => withProgress(io, what, clock),
    pass: (ms: number) => {
      now += ms;
      tick();
    },
  };
}

describe('the line of progress', () => {
  it('comes after two silent seconds, and goes before the next output', () => {
    const { written, start, pass } = terminal();
    const { io, end } = start('flotilla status');
    pass(1_900);
    expect(written).toEqual([]);
    pass(200);
    pass(1_000);
    io.out('done\n');
    pass(1_000);
    end();
    pass(9_000);
    expect(written).toEqual([`${CLEARED}flotilla status: 2 s`, `${CLEARED}flotilla status: 3 s`, CLEARED, 'done\n']);
  });

  it('shows what the command says that it does, cut at the terminal and without control characters', () => {
    const { written, start, pass } = terminal({ columns: 20 });
    const { io } = start();
    pass(5_000);
    expect(written).toEqual([]);
    io.progress?.('waiting for \u001b[2Jwest: InstallPlan');
    pass(250);
    expect(written).toEqual([`${CLEARED}waiting for \\x1b[2…`]);
    io.progress?.(undefined);
    pass(9_000);
    expect(written).toEqual([`${CLEARED}waiting for \\x1b[2…`, CLEARED]);
  });

  it('is nothing in a pipe', () => {
    const { written, start, pass } = terminal({ isTerminal: false });
    const { io } = start('flotilla status');
    io.progress?.('reading');
    pass(60_000);
    expect(written).toEqual([]);
  });
});
