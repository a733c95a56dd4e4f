import { describe, expect, it } from 'vitest';
import { labelSelector } from './label-selector.js';

describe('labelSelector', () => {
  it.each(['', 'a=b', 'a==b, c!=d', 'example.com/a=b', 'a,!b', 'a in (b, c),d notin (e)', 'a in ()', 'a=', 'size > 3'])(
    'takes "%s" as it is',
    (text) => {
      expect(labelSelector(text)).toBe(text);
    },
  );

  it.each(['a in (', 'a b', '=b', 'a=b c', 'a in b', ',', 'a,', 'a=(b)', `${'a'.repeat(64)}=b`])(
    'refuses "%s", and says what can be read',
    (text) => {
      expect(() => labelSelector(text)).toThrow(/^invalid --selector .*cannot read .*write terms such as a=b/);
    },
  );
});
