import { expect, it } from 'vitest';
import { recorder } from '../run-flotilla.fixture.js';
import { progressOn } from './progress.js';

it('shows on a terminal how many steps are done once it takes long, and takes the line away', () => {
  const { io, result } = recorder();
  let now = 0;
  const progress = progressOn({ ...io, isTerminal: true }, 'namespaces', () => now);
  progress.expect(3);
  progress.step();
  expect(result.err).toBe('');
  now = 1_500;
  progress.step();
  now = 1_550;
  progress.step();
  progress.end();
  expect(result).toMatchObject({ out: '', err: '\r2 of 3 namespaces\r\u001b[K' });
});

it('shows nothing where standard error is no terminal', () => {
  const { io, result } = recorder();
  let now = 0;
  const progress = progressOn(io, 'namespaces', () => now);
  progress.expect(1);
  now = 5_000;
  progress.step();
  progress.end();
  expect(result.err).toBe('');
});
