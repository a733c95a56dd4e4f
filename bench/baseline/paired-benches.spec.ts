import { describe, expect, it } from 'vitest';
import { anyQuestion } from './paired-benches.js';

describe('what bench/extension.ts prints', () => {
  it('is read by the row of any question', () => {
    const printed =
      'machine; 37 packages\n\n| what | median | p99 |\n| --- | --- | --- |\n' +
      '| first question to a package, which prepares it | 0.500 ms | 3.000 ms |\n' +
      '| any question, all packages | 0.002 ms | 0.011 ms |\n';
    expect(anyQuestion(printed)).toEqual({ wallMs: 0.002, p99Ms: 0.011 });
  });

  it('is refused where that row is not there', () => {
    expect(() => anyQuestion('Not run: the catalog is not there.\n')).toThrow('no row of any question');
  });
});
