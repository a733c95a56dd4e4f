import { describe, expect, it } from 'vitest';
import { inRange, parseRange } from '#core/kernel/versions/blang-range';
import { parseVersion } from '#core/kernel/versions/blang-version';
import { parseMastermindsConstraint, satisfiesConstraint } from '#core/kernel/versions/masterminds-constraint';
import { formatVersion, type Version } from '#core/kernel/versions/version';
import {
  compareVersionReleases,
  formatRelease,
  parseLegacyVersion,
  type VersionRelease,
} from '#core/v1/extension/version-release';
import { readRows } from './read-rows.js';

type RangeRow = Readonly<{
  kind: 'constraint' | 'skipRange';
  range: string;
  valid: boolean;
  error?: string;
  matches?: readonly string[];
  rejects?: readonly string[];
}>;
type Parsed = Readonly<{ version?: string; release?: string; error?: string }>;
type OrderRow = Readonly<{ kind: 'order'; a: string; b: string; aParsed: Parsed; bParsed: Parsed; compare?: number }>;

const rows = readRows<RangeRow | OrderRow>('semver.jsonl');
const ranges = (kind: RangeRow['kind']): RangeRow[] => rows.filter((row): row is RangeRow => row.kind === kind);
const orders = rows.filter((row): row is OrderRow => row.kind === 'order');

const version = (text: string): Version => {
  const parsed = parseVersion(text);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed;
};

const split = (all: readonly string[], test: (version: Version) => boolean) => ({
  matches: all.filter((one) => test(version(one))),
  rejects: all.filter((one) => !test(version(one))),
});

function outcome({ kind, range, matches = [], rejects = [] }: RangeRow) {
  const all = [...matches, ...rejects];
  if (kind === 'constraint') {
    const constraint = parseMastermindsConstraint(range);
    if ('error' in constraint) return { valid: false, error: constraint.error };
    return { valid: true, ...split(all, (one) => satisfiesConstraint(one, constraint)) };
  }
  const parsed = parseRange(range);
  return 'error' in parsed
    ? { valid: false, error: parsed.error }
    : { valid: true, ...split(all, (one) => inRange(one, parsed)) };
}

const shown = (text: string): Parsed => {
  const parsed = parseLegacyVersion(text);
  if ('error' in parsed) return parsed;
  return { version: formatVersion(parsed.version), release: formatRelease(parsed) ?? '' };
};

function order(a: string, b: string): number | undefined {
  const readable = [a, b].map(parseLegacyVersion).filter((one): one is VersionRelease => !('error' in one));
  const [left, right] = readable;
  return left === undefined || right === undefined ? undefined : compareVersionReleases(left, right);
}

describe("OLM v1's recorded readings of versions", () => {
  it.each(ranges('constraint'))('constraint $range', ({ kind: _kind, ...row }) => {
    const { range: _range, ...wanted } = row;
    expect(outcome({ kind: 'constraint', ...row })).toEqual(wanted);
  });
  it.each(ranges('skipRange'))('skipRange $range', ({ kind: _kind, ...row }) => {
    const { range: _range, ...wanted } = row;
    expect(outcome({ kind: 'skipRange', ...row })).toEqual(wanted);
  });
  it.each(orders)('$a beside $b', ({ a, b, aParsed, bParsed, compare }) => {
    expect([shown(a), shown(b), order(a, b)]).toEqual([aParsed, bParsed, compare]);
  });
});
