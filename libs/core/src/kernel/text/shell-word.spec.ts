import { expect, it } from 'vitest';
import { shellWord } from './shell-word.js';

it.each([
  {
    text: 'registry.example.com:5000/team/catalog@sha256:0a',
    word: 'registry.example.com:5000/team/catalog@sha256:0a',
  },
  { text: 'system:serviceaccount:flotilla:poller', word: 'system:serviceaccount:flotilla:poller' },
  { text: 'x; rm -rf ~', word: "'x; rm -rf ~'" },
  { text: '$(id)', word: "'$(id)'" },
  { text: "it's", word: `'it'\\''s'` },
  { text: '', word: "''" },
])('$text is one word of a shell command', ({ text, word }) => {
  expect(shellWord(text)).toBe(word);
});
