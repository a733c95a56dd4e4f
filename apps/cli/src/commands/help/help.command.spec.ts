import { describe, expect, it } from 'vitest';
import { runFlotilla } from '../../run-flotilla.fixture.js';

describe('flotilla help', () => {
  it.each([
    { words: ['catalog', 'validate'], usage: 'Usage: flotilla catalog validate [options]' },
    { words: ['catalog'], usage: 'Usage: flotilla catalog [options] [command]' },
    { words: ['up'], usage: 'Usage: flotilla up [options]' },
    { words: [], usage: 'Usage: flotilla [options] [command]' },
  ])('$words: the help of exactly that verb, as --help prints it', async ({ words, usage }) => {
    const { out, err, exit } = await runFlotilla(['help', ...words]);
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out.split('\n')[0]).toContain(usage);
    expect(out).toBe((await runFlotilla([...words, '--help'])).out);
  });

  it.each([
    { words: ['catlog'], says: 'error: unknown command "catlog" (did you mean "catalog"?)\n' },
    { words: ['nope'], says: 'error: unknown command "nope"\n' },
    {
      words: ['catalog', 'validat'],
      says: 'error: unknown command "catalog validat" (did you mean "validate"?)\n',
    },
    { words: ['_comp'], says: 'error: unknown command "_comp"\n' },
  ])('$words: one line, exit code 2, no help', async ({ words, says }) => {
    expect(await runFlotilla(['help', ...words])).toEqual({ out: '', err: says, exit: 2 });
  });
});

describe('suggestions for a mistyped command line', () => {
  it.each([
    { argv: ['plan', '--file', 'x.yaml'], says: '(Did you mean --filename?)' },
    { argv: ['get', 'sub', '--kubeconfg', 'x'], says: '(Did you mean --kubeconfig?)' },
    { argv: ['completion', 'basch'], says: '(did you mean "bash"?)' },
    { argv: ['plan', '-o', 'jsn'], says: '(did you mean "json"?)' },
    { argv: ['catalog', 'render', '.', '-o', 'ymal'], says: '(did you mean "yaml"?)' },
    { argv: ['catalog', 'packages', '.', '-o', 'wid'], says: '(did you mean "wide"?)' },
    { argv: ['bundle', 'render', '.', '--cert-provider', 'cert-manger'], says: '(did you mean "cert-manager"?)' },
  ])('$argv', async ({ argv, says }) => {
    const { out, err, exit } = await runFlotilla(argv);
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toContain(says);
  });

  it('makes none where nothing is near', async () => {
    const { err } = await runFlotilla(['plan', '--xyzzy']);
    expect(err).toContain("error: unknown option '--xyzzy'\n(see the options with --help");
  });
});
