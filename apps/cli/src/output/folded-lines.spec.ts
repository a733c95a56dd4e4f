import { describe, expect, it } from 'vitest';
import { adviceLine, folded } from './folded-lines.js';

const NAME = 'lighthouse-operator.v1.1-9gtdRu4cl2VbaqgQ7bjx3J7OqvBsBHgMMk7LwG';

describe('lines of a terminal', () => {
  it.each([
    { width: undefined, at: undefined, text: '  one two three four', lines: ['  one two three four'] },
    { width: 12, at: undefined, text: '  one two three four', lines: ['  one two', '    three', '    four'] },
    { width: 12, at: 0, text: 'one two three four', lines: ['one two', 'three four'] },
    { width: 20, at: 11, text: '  objects  + ab cd ef gh', lines: ['  objects  + ab cd', '           ef gh'] },
    { width: 20, at: 11, text: `  objects  ${NAME}`, lines: [`  objects  ${NAME}`] },
    { width: 30, at: 11, text: `  objects  + ${NAME} is new`, lines: [`  objects  + ${NAME}`, '           is new'] },
    {
      width: 9,
      at: 0,
      text: 'short\nand so on\nlonger than this\n',
      lines: ['short', 'and so on', 'longer', 'than this', ''],
    },
  ])('of $width columns', ({ width, at, text, lines }) => {
    expect(folded(text, width, at).split('\n')).toEqual(lines);
  });

  it.each([
    { width: undefined, note: 'why', text: '  → flotilla fleet status   (why)\n' },
    { width: 80, note: '', text: '  → flotilla fleet status\n' },
    { width: 30, note: 'why', text: '  → flotilla fleet status\n    (why)\n' },
    { width: 20, note: 'needs group sre', text: '  → flotilla fleet status\n    (needs group\n     sre)\n' },
  ])('with a command and a note in $width columns', ({ width, note, text }) => {
    expect(adviceLine('flotilla fleet status', note, width)).toBe(text);
  });
});
