import { describe, expect, it } from 'vitest';
import { ageText, findInExport, UnreadableExport } from '../../scripts/supply-chain/advisory-export.js';

const record = (name: string, more: object = {}, range: readonly object[] = [{ introduced: '0' }]) => ({
  ...{ id: `GHSA-${name}`, modified: '2026-11-20T10:00:00Z', summary: `bad ${name}` },
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events: range }] }],
  ...more,
});
const found = (records: readonly object[], version = '1.5.0', name = 'ant') =>
  findInExport(JSON.stringify(records), [{ name, version }]).found;

describe('an export of advisories', () => {
  it.each<[version: string, events: readonly object[], isFound: boolean]>([
    ['1.5.0', [{ introduced: '0' }], true],
    ['1.5.0', [{ introduced: '0' }, { fixed: '1.5.0' }], false],
    ['1.4.9', [{ introduced: '0' }, { fixed: '1.5.0' }], true],
    ['1.5.0', [{ introduced: '1.0.0' }, { last_affected: '1.5.0' }], true],
    ['1.5.1', [{ introduced: '1.0.0' }, { last_affected: '1.5.0' }], false],
    ['0.9.0', [{ introduced: '1.0.0' }], false],
    ['2.1.0', [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }, { fixed: '2.2.0' }], true],
    ['2.1.0', [{ fixed: '2.2.0' }, { introduced: '2.0.0' }, { fixed: '1.0.0' }, { introduced: '0' }], true],
    ['1.5.0', [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }], false],
    ['1.0.0-rc.1', [{ introduced: '0' }, { fixed: '1.0.0' }], true],
  ])('%s in %j: %s', (version, events, isFound) => {
    expect(found([record('ant', {}, events)], version)).toEqual(isFound ? [`ant@${version}: GHSA-ant: bad ant`] : []);
  });

  it('counts versions that are listed, and neither other packages, ecosystems nor withdrawn records', () => {
    const package_ = { ecosystem: 'npm', name: 'ant' };
    const listed = record('x', { affected: [{ package: package_, versions: ['1.5.0'] }] });
    expect(found([listed])).toEqual(['ant@1.5.0: GHSA-x: bad x']);
    expect(found([record('bee')])).toEqual([]);
    expect(found([record('ant', { withdrawn: '2026-01-01T00:00:00Z' })])).toEqual([]);
    const python = record('y', { affected: [{ package: { ecosystem: 'PyPI', name: 'ant' }, versions: ['1.5.0'] }] });
    expect(found([python, record('bee')])).toEqual([]);
  });

  it('is an array, or a record a line, and says how many there are and how old it is', () => {
    const newer = record('bee', { modified: '2026-11-27T10:00:00+02:00' });
    const lines = `${JSON.stringify(record('ant'))}\n${JSON.stringify(newer)}\n`;
    expect(findInExport(lines, [])).toEqual({ found: [], records: 2, newest: '2026-11-27T08:00:00.000Z' });
    const now = new Date('2026-11-29T12:00:00Z');
    expect(ageText('2026-11-27T08:00:00.000Z', now)).toBe('2 days old');
    expect(ageText('2026-11-29T08:00:00.000Z', now)).toBe('less than a day old');
  });

  it.each<[what: string, text: string, because: RegExp]>([
    ['nothing', '', /has no advisory of npm/],
    ['an empty list', '[]', /has no advisory of npm/],
    ['a report of npm', '{"vulnerabilities":{}}', /record 1 is none of OSV: id: /],
    ['a page', '<html>', /line 1 is not JSON; expected records of OSV/],
    ['half of a list', '[{"id":"x"', /is not JSON/],
    ['a line that is broken', `${JSON.stringify(record('ant'))}\n{"id":`, /line 2 is not JSON/],
    ['a record without a time', JSON.stringify([{ ...record('ant'), modified: 'yesterday' }]), /record 1 .*modified/],
    ['another ecosystem', JSON.stringify([record('ant', { affected: [] })]), /has no advisory of npm/],
    ['a version that is none', JSON.stringify([record('ant', {}, [{ introduced: 'one' }])]), /"one", which is no/],
  ])('that cannot be read is refused: %s', (_, text, because) => {
    expect(() => findInExport(text, [{ name: 'ant', version: '1.5.0' }])).toThrow(UnreadableExport);
    expect(() => findInExport(text, [{ name: 'ant', version: '1.5.0' }])).toThrow(because);
  });
});
