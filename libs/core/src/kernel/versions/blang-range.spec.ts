import { describe, expect, it } from 'vitest';
import { inRange, parseRange } from './blang-range.js';
import { parseVersion } from './blang-version.js';

function contains(rangeText: string, versionText: string): boolean | string {
  const range = parseRange(rangeText);
  const version = parseVersion(versionText);
  if ('error' in range) return range.error;
  return 'error' in version ? version.error : inRange(version, range);
}

describe('ranges, where they differ from what one expects', () => {
  it.each([
    {
      range: '>=1.0.0 <2.0.0',
      version: '2.0.0-rc.1',
      is: true,
      because: 'a pre-release is an ordinary version, below its release',
    },
    { range: '1.x', version: '2.0.0-rc.1', is: true, because: 'the upper bound of a wildcard is a plain release' },
    { range: '!=1.2.x', version: '3.0.0', is: false, because: 'below 1.2.0 and at least 1.3.0 cannot both hold' },
    {
      range: '1.0.0 - 2.0.0',
      version: '1.5.0',
      is: false,
      because: 'a word of one character is lost, the rest must both be equal',
    },
    {
      range: '>= 1.0.0',
      version: '1.0.0+build',
      is: true,
      because: 'a blank may follow an operator, and build metadata does not count',
    },
    {
      range: '=1.0.0-next.1',
      version: '1.0.0-next.1',
      is: 'Could not get version from string: "<"',
      because: 'an x anywhere is taken for a wildcard',
    },
    {
      range: '>=1.0.0 || || <0.1.0',
      version: '0.5.0',
      is: "Nothing stands between two '||' in the range",
      because: 'blang would crash on it',
    },
    {
      range: '>=01.0.0 <=x.x',
      version: '1.0.0',
      is: 'Could not get version from string: "<=x.x"',
      because: 'all wildcards are replaced before any version is read',
    },
    {
      range: '>=1.0.0 || || >01.0.0',
      version: '1.0.0',
      is: expect.stringContaining('must not contain leading zeroes'),
      because: 'blang refuses what it cannot read before it could crash',
    },
    {
      range: `>=${'9'.repeat(100_000)}.0.0`,
      version: '1.0.0',
      is: expect.stringContaining('value out of range'),
      because: 'numbers end at 2^64-1',
    },
    {
      range: '>1000000000000000000.x',
      version: '1000000000000000001.0.0',
      is: true,
      because: 'a wildcard is counted up as far as a Go int goes',
    },
    {
      range: '<=1.9223372036854775807.x',
      version: '1.0.0',
      is: expect.stringContaining('Invalid character(s) found in minor number "-9223372036854775808"'),
      because: 'beyond the highest Go int comes the lowest',
    },
    {
      range: '<=9223372036854775808.x',
      version: '1.0.0',
      is: 'Could not get version from string: "<"',
      because: 'what is no Go int has no next one',
    },
    {
      range: '>\ufeff1.0.0',
      version: '2.0.0',
      is: expect.stringContaining('Could not parse comparator ">\\ufeff"'),
      because: 'a byte order mark is no blank in Go',
    },
  ])('$version in $range: $because', ({ range, version, is }) => {
    expect(contains(range, version)).toEqual(is);
  });
});
