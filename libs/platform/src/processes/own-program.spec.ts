import { describe, expect, it } from 'vitest';
import { programStart } from './own-program.js';

const OPTIONS = ['--max-semi-space-size=8'];

describe('the start of a program of ours', () => {
  it('gives Node its options, the program and the arguments', () => {
    expect(programStart(OPTIONS, '/p/applier.js', ['up'], { oneFile: false })).toEqual({
      file: process.execPath,
      args: ['--max-semi-space-size=8', '/p/applier.js', 'up'],
      env: {},
    });
  });

  it.each([
    ['none', undefined, { NODE_OPTIONS: '--max-semi-space-size=8' }],
    ['those of the user', '--no-warnings', { NODE_OPTIONS: '--no-warnings --max-semi-space-size=8' }],
  ])('of the command as one file gives options by the environment, which had %s', (_title, inherited, env) => {
    expect(programStart(OPTIONS, '/p/applier.js', ['up'], { oneFile: true, inherited })).toEqual({
      file: process.execPath,
      args: ['__program', '/p/applier.js', 'up'],
      env,
    });
  });
});
