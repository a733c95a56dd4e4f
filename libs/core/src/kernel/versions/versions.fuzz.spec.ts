import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../text/any-text.fixture.js';
import { inRange, parseRange } from './blang-range.js';
import { parseTolerant, parseVersion } from './blang-version.js';
import { parseMastermindsConstraint, satisfiesConstraint } from './masterminds-constraint.js';
import { parseMastermindsVersion } from './masterminds-version.js';
import { compareVersions, formatVersion, type Version } from './version.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
const runs = { seed, numRuns: 500 };

const number = fc.oneof(fc.nat({ max: 3 }).map(BigInt), fc.bigInt({ min: 0n, max: 18446744073709551615n }));
// No small x: to blang's ranges that is a wildcard, wherever it stands.
const identifier = fc.oneof(number, fc.stringMatching(/^[0-9A-Za-wyz-]*[A-Za-wyz-][0-9A-Za-wyz-]*$/, { maxLength: 6 }));
const identifiers = fc.array(identifier, { maxLength: 3 });
const versions: fc.Arbitrary<Version> = fc.record({
  major: number,
  minor: number,
  patch: number,
  pre: identifiers,
  build: fc.array(fc.stringMatching(/^[0-9A-Za-z-]+$/, { maxLength: 4 }), { maxLength: 2 }),
});
const releases = versions.map((version): Version => ({ ...version, pre: [] }));
const operators = fc.constantFrom('', '=', '!=', '>', '>=', '<', '<=');
const comparators = fc.tuple(operators, versions).map(([operator, version]) => `${operator}${plainText(version)}`);

/** Without build metadata, and short enough for Masterminds' bounds. */
const plainText = (version: Version): string => formatVersion({ ...version, build: [] });

/** Text made of the grammars' own pieces, which comes further than chance would. */
const nearlyRanges = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '>=',
        '<=',
        '!=',
        '~>',
        '^',
        '~',
        '=',
        '||',
        ' || ',
        ' - ',
        ',',
        ' ',
        '  ',
        '\t',
        'x',
        '*',
        '.',
        '-',
        '+',
      ),
      fc.constantFrom('1', '0', '01', '1.2', '1.2.3', 'v', '1.x', '-rc.1', '18446744073709551616', 'é', '\u00a0', '\0'),
      anyText({ maxLength: 3 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));
const anyRange = fc.oneof(nearlyRanges, anyText({ maxLength: 60 }));

const range = (text: string) => {
  const parsed = parseRange(text);
  if ('error' in parsed) throw new Error(`${text}: ${parsed.error}`);
  return parsed;
};
const constraint = (text: string) => {
  const parsed = parseMastermindsConstraint(text);
  if ('error' in parsed) throw new Error(`${text}: ${parsed.error}`);
  return parsed;
};

describe(`versions, whatever they are (FLOTILLA_TEST_SEED=${seed})`, () => {
  it.each([
    ['strictly', parseVersion],
    ['tolerantly', parseTolerant],
    ['as Masterminds does', parseMastermindsVersion],
  ])('what is written is read back the same %s', (_, parse) => {
    fc.assert(
      fc.property(versions, (version) => {
        expect(parse(formatVersion(version))).toEqual(version);
      }),
      runs,
    );
  });

  it('any text is a version or an error, and a version is written the same however often', () => {
    fc.assert(
      fc.property(anyRange, (text) => {
        for (const parse of [parseVersion, parseTolerant, parseMastermindsVersion]) {
          const version = parse(text);
          if (!('error' in version)) expect(parse(formatVersion(version))).toEqual(version);
        }
      }),
      runs,
    );
  });

  it('are in a total order', () => {
    fc.assert(
      fc.property(versions, versions, versions, (a, b, c) => {
        expect(compareVersions(a, a)).toBe(0);
        expect(compareVersions(a, b)).toBe(0 - compareVersions(b, a) || 0);
        const [low, middle, high] = [a, b, c].sort(compareVersions);
        expect(low && middle && high && [compareVersions(low, middle), compareVersions(low, high)]).not.toContain(1);
        expect(compareVersions(a, b) === 0).toBe(plainText(a) === plainText(b));
      }),
      runs,
    );
  });
});

describe(`ranges, whatever they are (FLOTILLA_TEST_SEED=${seed})`, () => {
  it('blang: two comparators side by side hold both, with || between them one', () => {
    fc.assert(
      fc.property(comparators, comparators, versions, (a, b, version) => {
        const [inA, inB] = [inRange(version, range(a)), inRange(version, range(b))];
        expect(inRange(version, range(`${a} ${b}`))).toBe(inA && inB);
        expect(inRange(version, range(`${a} || ${b}`))).toBe(inA || inB);
      }),
      runs,
    );
  });

  it('Masterminds: likewise, for releases in groups and for all versions between them', () => {
    fc.assert(
      fc.property(comparators, comparators, releases, versions, (a, b, release, version) => {
        const satisfies = (text: string, one: Version) => satisfiesConstraint(one, constraint(text));
        expect(satisfies(`${a}, ${b}`, release)).toBe(satisfies(a, release) && satisfies(b, release));
        expect(satisfies(`${a}||${b}`, version)).toBe(satisfies(a, version) || satisfies(b, version));
      }),
      runs,
    );
  });

  it('both: a release equal to the operand is in what includes it', () => {
    fc.assert(
      fc.property(releases, (release) => {
        for (const operator of ['', '=', '>=', '<=']) {
          expect(inRange(release, range(`${operator}${plainText(release)}`))).toBe(true);
          expect(satisfiesConstraint(release, constraint(`${operator}${plainText(release)}`))).toBe(true);
        }
      }),
      runs,
    );
  });

  it('any text is a range or an error', () => {
    fc.assert(
      fc.property(anyRange, versions, (text, version) => {
        const parsed = parseRange(text);
        expect('error' in parsed ? typeof parsed.error : typeof inRange(version, parsed)).toMatch(/^(string|boolean)$/);
        const other = parseMastermindsConstraint(text);
        expect('error' in other ? typeof other.error : typeof satisfiesConstraint(version, other)).toMatch(
          /^(string|boolean)$/,
        );
      }),
      runs,
    );
  });
});

describe('texts made to be slow', () => {
  it.each([
    { because: 'blanks that every part could take', text: `${'1 '.repeat(200)}${' '.repeat(100)}!` },
    { because: 'hyphen ranges that never end', text: '1 - '.repeat(128) },
    { because: 'the most groups that fit', text: '1||'.repeat(170) },
    { because: 'a group too long for the library', text: '>=1.0.0 '.repeat(20_000) },
    { because: 'many alternatives', text: '1.0.0 || '.repeat(50_000) },
    { because: 'one long number', text: '9'.repeat(50_000) },
    { because: 'many dots', text: '1.'.repeat(50_000) },
    { because: 'a long pre-release', text: `1.0.0-${'a.'.repeat(50_000)}` },
    { because: 'many wildcards', text: `>${'x.'.repeat(50_000)}` },
  ])('are answered: $because', ({ text }) => {
    expect(parseMastermindsConstraint(text)).toHaveProperty('error');
    expect(parseMastermindsVersion(text)).toHaveProperty('error');
    const blang = parseRange(text);
    if (!('error' in blang)) expect(inRange(version('0.9.0'), blang)).toBe(false);
  });
});

function version(text: string): Version {
  const parsed = parseVersion(text);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed;
}
