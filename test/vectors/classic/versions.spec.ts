import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inRange, parseRange } from '#core/kernel/versions/blang-range';
import { parseTolerant, parseVersion } from '#core/kernel/versions/blang-version';
import { formatVersion } from '#core/kernel/versions/version';

const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`./${file}`, import.meta.url), 'utf8'));
const ranges = read('semver-ranges.json') as {
  versions: string[];
  ranges: { range: string; in?: string[]; error?: boolean; crashesFor?: string[] }[];
};
const versions = read('semver-versions.json') as { text: string; strict: string | null; tolerant: string | null }[];

describe("ranges as OLM's resolver reads them", () => {
  it.each(ranges.ranges)('$range', ({ range, in: expected, error, crashesFor }) => {
    const parsed = parseRange(range);
    if (error === true || crashesFor !== undefined) return expect(parsed).toHaveProperty('error');
    if ('error' in parsed) return expect.fail(parsed.error);
    const inside = ranges.versions.filter((text) => {
      const version = parseVersion(text);
      return !('error' in version) && inRange(version, parsed);
    });
    expect(inside).toEqual(expected);
  });
});

describe("versions as OLM's resolver reads them", () => {
  const text = (parse: typeof parseVersion, input: string) => {
    const version = parse(input);
    return 'error' in version ? null : formatVersion(version);
  };
  it.each(versions)('$text', ({ text: input, strict, tolerant }) => {
    expect({ strict: text(parseVersion, input), tolerant: text(parseTolerant, input) }).toEqual({ strict, tolerant });
  });
});
