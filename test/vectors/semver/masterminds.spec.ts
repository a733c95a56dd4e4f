import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseVersion } from '#core/kernel/versions/blang-version';
import { parseMastermindsConstraint, satisfiesConstraint } from '#core/kernel/versions/masterminds-constraint';
import { parseMastermindsVersion } from '#core/kernel/versions/masterminds-version';
import { formatVersion } from '#core/kernel/versions/version';

type Row = Readonly<{ id: string; input?: string; range?: string; version?: string; expect: Record<string, unknown> }>;

const rows = (file: string): Row[] =>
  readFileSync(new URL(`./${file}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

function outcome(rangeText: string, versionText: string) {
  const constraint = parseMastermindsConstraint(rangeText);
  if ('error' in constraint) return { rangeError: constraint.error };
  const version = parseVersion(versionText);
  return 'error' in version ? { versionError: version.error } : { match: satisfiesConstraint(version, constraint) };
}

describe("Masterminds/semver's recorded answers", () => {
  it.each(rows('masterminds-version'))('$id reads $input', ({ input = '', expect: answer }) => {
    const version = parseMastermindsVersion(input);
    const wanted = 'error' in answer ? { error: answer['error'] } : { string: answer['string'] };
    expect('error' in version ? version : { string: formatVersion(version) }).toEqual(wanted);
  });
  it.each(rows('masterminds-version'))(
    '$id: strict parsing takes or refuses $input alike',
    ({ input = '', ...row }) => {
      expect('error' in parseVersion(input)).toBe('strictError' in row.expect);
    },
  );
  it.each(rows('masterminds-constraint'))('$id: $version in $range', ({ range = '', version = '', expect: answer }) => {
    const { matchIncludePrerelease: _unusedByOlm, ...wanted } = answer;
    expect(outcome(range, version)).toEqual(wanted);
  });
});
