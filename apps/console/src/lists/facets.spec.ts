import { describe, expect, it } from 'vitest';
import { ListQuery } from '../api/lists.schema.js';
import { operatorRow } from '../console.fixture.js';
import { FACETS_KEPT_MS, KeptFacets } from './facets.js';
import { operatorColumns } from './filter.js';
import { hasAllWords } from './words.js';

const FAILED = { standing: 'failed' } as const;

describe('counts of values', () => {
  const count = () => {
    let now = Date.parse('2026-11-26T10:00:00Z');
    const kept = new KeptFacets({ now: () => new Date(now) });
    let rows = [operatorRow('east', 'lamp', FAILED), operatorRow('west', 'lamp')];
    let made = 0;
    return {
      fail: () => {
        rows = rows.map((row) => ({ ...row, ...FAILED }));
      },
      wait: (ms: number) => {
        now += ms;
      },
      made: () => made,
      failed: (version: number, asked: Readonly<Record<string, string>> = {}, rights = 'all') => {
        const query = ListQuery.parse({ facets: 'standing', ...asked });
        const facets = kept.of({ rights, list: 'operators', version, query }, operatorColumns, () => {
          made += 1;
          return rows;
        });
        return facets?.['standing']?.find(({ value }) => value === 'failed')?.count;
      },
    };
  };

  it('are made once while no row changes, and at most every two seconds while rows do', () => {
    const of = count();
    expect(of.failed(1)).toBe(1);
    of.wait(60_000);
    expect([of.failed(1), of.made()]).toEqual([1, 1]);
    of.fail();
    expect([of.failed(2), of.made()]).toEqual([2, 2]);
    of.wait(FACETS_KEPT_MS - 1);
    expect([of.failed(3), of.made()]).toEqual([2, 2]);
    of.wait(1);
    expect([of.failed(3), of.made()]).toEqual([2, 3]);
  });

  it.each([
    ['another filter', { package: 'lamp' }, 'all'],
    ['other words', { q: 'lamp' }, 'all'],
    ['another time', { since: '2026' }, 'all'],
    ['other columns', { facets: 'standing,package' }, 'all'],
    ['other rights', {}, 'some'],
  ])('are others for %s', (_, asked, rights) => {
    const of = count();
    of.failed(1);
    of.failed(1, asked, rights);
    expect(of.made()).toBe(2);
  });

  it('do not depend on order and place', () => {
    const of = count();
    of.failed(1);
    of.failed(1, { sort: '-version', offset: '200', limit: '5' });
    expect(of.made()).toBe(1);
  });

  it('are not made where the query asks for none', () => {
    const of = count();
    expect([of.failed(1, { facets: 'false' }), of.made()]).toEqual([undefined, 0]);
  });
});

it.each([
  ['lamp east', true],
  ['LAMP', true],
  ['refused lamp', true],
  ['lamp west', false],
  ['stlam', false],
  ['', undefined],
])('the words of "%s" are all in texts of a row: %s', (question, wanted) => {
  const cause = { code: 'plan-failed', kind: 'InstallPlan', names: [], text: 'CRD refused' };
  expect(hasAllWords(question)?.(operatorRow('east', 'lamp', { cause }))).toBe(wanted);
});
