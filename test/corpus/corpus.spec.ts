import { describe, expect, it } from 'vitest';
import { type CorpusCase, corpusCases } from './corpus-case.js';
import { BUNDLE_ODDITIES, OF_CATALOGS } from './oddities/all-oddities.js';
import { playCorpus } from './run/play-corpus.js';

const PLAN = { seed: 20261201, count: 100 };
const ALL = [...BUNDLE_ODDITIES, ...OF_CATALOGS].map(({ name }) => name);

const endsOf = (cases: readonly CorpusCase[]) => cases.map(({ expected }) => expected.install.ends);

describe('a hundred bundles and catalogs with the oddities of the field', () => {
  const cases = corpusCases(PLAN);

  it('have every oddity at least once, and end in both ways', () => {
    const met = new Set(cases.flatMap(({ oddities }) => oddities));
    expect(ALL.filter((name) => !met.has(name))).toEqual([]);
    expect(new Set(ALL).size).toBe(ALL.length);
    expect(endsOf(cases).filter((ends) => ends === 'installed').length).toBeGreaterThan(25);
    expect(endsOf(cases).filter((ends) => ends === 'refused').length).toBeGreaterThan(25);
  });

  it('are the same for the same seed', () => {
    const shown = (of: readonly CorpusCase[]) => of.map(({ oddities, draft }) => [oddities, draft.csv.tree]);
    expect(shown(corpusCases(PLAN))).toEqual(shown(cases));
  });

  it('are validated, rendered, planned and installed, each fifth also by OLM v1, as opm and OLM have it, or named', async () => {
    expect(await playCorpus(cases, { extensionsEach: 5 })).toEqual([]);
  });
});
