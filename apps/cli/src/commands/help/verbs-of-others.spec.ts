import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../all-verbs.js';
import { run } from '../../program.js';
import { recorder, runFlotilla } from '../../run-flotilla.fixture.js';
import { verbAt } from './program-words.js';
import { hintForVerb } from './verbs-of-others.js';

const WORDS = 'list describe install uninstall delete upgrade rollout rollback logs search history sync wait'.split(
  ' ',
);

describe('verbs of other tools', () => {
  it.each(WORDS)('%s is answered with the command that does it', async (word) => {
    const hint = hintForVerb(word);
    expect(hint).toBeDefined();
    const { err, exit } = await runFlotilla([word]);
    expect({ err, exit }).toEqual({
      err: expect.stringContaining(`unknown command '${word}': here it is ${hint}\n`),
      exit: 2,
    });
    expect((await runFlotilla(['help', word])).err).toBe(`error: unknown command "${word}": here it is ${hint}\n`);
  });

  it('name verbs that there are', () => {
    const program = buildProgram(recorder().io, run);
    const hints = [
      ...WORDS,
      'apply',
      'create',
      'show',
      'diff',
      'validate',
      'render',
      'serve',
      'start',
      'init',
      'update',
    ];
    const named = hints.flatMap((word) => [...(hintForVerb(word) ?? '').matchAll(/flotilla ((?:[a-z-]+ ?)+)/g)]);
    for (const [, words = ''] of named) {
      const path = words.trim().split(' ');
      const group = program.commands.find((one) => one.name() === path[0]);
      expect(() =>
        verbAt(program, path.slice(0, group !== undefined && group.commands.length > 0 ? 2 : 1)),
      ).not.toThrow();
    }
    expect(named.length).toBeGreaterThan(15);
  });

  it('have an answer below fleet, too', async () => {
    expect((await runFlotilla(['fleet', 'rollout'])).err).toContain('here it is flotilla fleet status');
  });
});

describe('an unknown verb', () => {
  it.each([
    [['nonsense', '--help'], 2, 'error: unknown command "nonsense"\n'],
    [['statis', '-h'], 2, 'error: unknown command "statis" (did you mean "status"?)\n'],
    [['catalog', 'validte', '--help'], 2, 'error: unknown command "catalog validte" (did you mean'],
    [['list', '--help'], 2, 'here it is flotilla get'],
    [['catalog', 'validate', 'anything', '--help'], 0, ''],
    [['get', 'subscriptions', '--help'], 0, ''],
    [['--help'], 0, ''],
    [['demo', '--help'], 0, ''],
  ])('%j ends with exit code %i', async (argv, exit, says) => {
    const found = await runFlotilla(argv);
    expect(found.exit).toBe(exit);
    expect(found.err).toContain(says);
    if (exit === 0) expect(found.out).toContain('Usage: ');
  });
});
