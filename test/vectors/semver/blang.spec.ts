import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inRange, parseRange } from '#core/kernel/versions/blang-range';
import { parseTolerant, parseVersion } from '#core/kernel/versions/blang-version';
import { compareVersions, formatVersion } from '#core/kernel/versions/version';

type Row = Readonly<{
  id: string;
  input?: string;
  a?: string;
  b?: string;
  range?: string;
  version?: string;
  expect: Readonly<Record<string, unknown>>;
}>;

const rows = (file: string): Row[] =>
  readFileSync(new URL(`./${file}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

const parsed = (parse: typeof parseVersion, text: string) => {
  const version = parse(text);
  return 'error' in version ? { error: version.error } : { string: formatVersion(version) };
};
const wanted = (answer: Row['expect']) =>
  answer['error'] === undefined ? { string: answer['string'] } : { error: answer['error'] };

function rangeOutcome(rangeText: string, versionText: string) {
  const range = parseRange(rangeText);
  if ('error' in range) return { rangeError: range.error };
  const version = parseVersion(versionText);
  return 'error' in version ? { versionError: version.error } : { match: inRange(version, range) };
}

describe("blang/semver's recorded answers", () => {
  it.each(rows('blang-parse'))('$id parses $input strictly', ({ input = '', expect: answer }) => {
    expect(parsed(parseVersion, input)).toEqual(wanted(answer));
  });
  it.each(rows('blang-parse-tolerant'))('$id parses $input tolerantly', ({ input = '', expect: answer }) => {
    expect(parsed(parseTolerant, input)).toEqual(wanted(answer));
  });
  it.each(rows('blang-compare'))('$id compares $a with $b', ({ a = '', b = '', expect: answer }) => {
    const [left, right] = [parseVersion(a), parseVersion(b)];
    const outcome = 'error' in left || 'error' in right ? 'error' : compareVersions(left, right);
    expect(outcome).toBe(answer['cmp'] ?? 'error');
  });
  it.each(rows('blang-range'))('$id: $version in $range', ({ range = '', version = '', expect: answer }) => {
    const outcome = rangeOutcome(range, version);
    if ('panic' in answer) expect(outcome).toHaveProperty('rangeError');
    else expect(outcome).toEqual(answer);
  });
});
