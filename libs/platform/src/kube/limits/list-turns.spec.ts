import { describe, expect, it } from 'vitest';
import { aWhile, PATIENCE } from '#testing/patience';
import { ListTurns } from './list-turns.js';

const NEVER = 3_600_000;

/** Reads that are under way until the test says how they end. */
function reads(turns: ListTurns) {
  const begun: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<void>>();
  const read = (name: string) =>
    turns.run(() => {
      begun.push(name);
      const answer = Promise.withResolvers<void>();
      answers.set(name, answer);
      return answer.promise;
    });
  return { begun, read, answered: (name: string) => answers.get(name) };
}

describe('lists are read', () => {
  it('so many at a time, in the order of arrival', async () => {
    const { begun, read, answered } = reads(new ListTurns(2, NEVER));
    for (const name of ['a', 'b', 'c', 'd']) void read(name);
    await aWhile();
    expect(begun).toEqual(['a', 'b']);
    answered('b')?.resolve();
    await expect.poll(() => begun, PATIENCE).toEqual(['a', 'b', 'c']);
    answered('a')?.resolve();
    await expect.poll(() => begun, PATIENCE).toEqual(['a', 'b', 'c', 'd']);
  });

  it('and the next one after one that failed', async () => {
    const { begun, read, answered } = reads(new ListTurns(1, NEVER));
    const failed = read('a');
    void read('b');
    answered('a')?.reject(new Error('gone'));
    await expect(failed).rejects.toThrow('gone');
    await expect.poll(() => begun, PATIENCE).toEqual(['a', 'b']);
  });

  it('beside one whose cluster does not answer, which gives its turn away once', async () => {
    const { begun, read, answered } = reads(new ListTurns(1, 20));
    void read('hangs');
    void read('a');
    await expect.poll(() => begun, PATIENCE).toEqual(['hangs', 'a']);
    answered('hangs')?.resolve();
    answered('a')?.resolve();
    void read('b');
    void read('c');
    await expect.poll(() => begun, PATIENCE).toEqual(['hangs', 'a', 'b', 'c']);
  });
});
