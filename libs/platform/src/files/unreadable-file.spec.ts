import { describe, expect, it } from 'vitest';
import { whoMayNot } from './unreadable-file.js';

describe('whoMayNot', () => {
  it.each([
    {
      owner: { uid: 0, mode: 0o100600 },
      says: ' (this process is user 1000, the file belongs to user 0 and has mode 0600)',
    },
    { owner: undefined, says: ' (this process is user 1000 and may not enter the directory)' },
  ])('$says', ({ owner, says }) => {
    expect(whoMayNot(1000, owner)).toBe(says);
  });

  it('says nothing where the system knows no user ids', () => {
    expect(whoMayNot(undefined, undefined)).toBe('');
  });
});
