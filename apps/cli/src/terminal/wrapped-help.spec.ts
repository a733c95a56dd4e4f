import { describe, expect, it } from 'vitest';
import { run } from '../program.js';
import { recorder } from '../run-flotilla.fixture.js';
import { displayWidth } from './display-width.js';
import { wrappedHelp } from './wrapped-help.js';

const VERBS = [
  [],
  ['explain'],
  ['catalog'],
  ['plan'],
  ['status'],
  ['up'],
  ['clusters', 'remove'],
  ['catalog', 'template'],
];

describe('help in a terminal', () => {
  it.each(VERBS)('%s %s: prose fits 80 columns, and says the same', async (...verb) => {
    const { result, io } = recorder();
    await run([...verb, '--help'], { ...io, columns: 80 });
    const wide = result.out.split('\n').filter((line) => /^\S/.test(line) && displayWidth(line) > 80);
    expect(wide).toEqual([]);
    const piped = recorder();
    await run([...verb, '--help'], piped.io);
    expect(result.out.split(/\s+/)).toEqual(piped.result.out.split(/\s+/));
  });

  it('fills a paragraph with a wide line anew, and leaves every other line', () => {
    const text = 'Usage: x\n\nOne two three\nfour five.\nSix.\n\nExamples:\n  flotilla a very long example line\n';
    expect(wrappedHelp(text, 12)).toBe(
      'Usage: x\n\nOne two\nthree four\nfive. Six.\n\nExamples:\n  flotilla a very long example line\n',
    );
    expect(wrappedHelp(text, 80)).toBe(text);
  });
});
