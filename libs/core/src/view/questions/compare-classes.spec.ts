import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareClasses } from './compare-classes.js';

const difference = (what: string, risk = false, lines: readonly string[] = []) => ({
  ...{ section: 'crds', sign: '~', text: 'changes' },
  ...{ what, risk, lines },
});

describe('differences of several plan classes', () => {
  it('are common if every class makes them, with the same lines', () => {
    const [a, b, c] = [difference('a'), difference('b', true), difference('c')];
    const otherLines = difference('a', false, ['+ v2']);
    expect(
      compareClasses([
        [a, b, c],
        [c, b],
        [otherLines, b, c],
      ]),
    ).toEqual({
      common: [b, c],
      some: [
        { difference: a, classes: [0] },
        { difference: otherLines, classes: [2] },
      ],
    });
  });

  it('of one class are all common, and of no class there are none', () => {
    expect(compareClasses([[difference('a')]]).some).toEqual([]);
    expect(compareClasses([])).toEqual({ common: [], some: [] });
  });

  it('are each listed once, whatever the classes are', () => {
    const one = fc.record({ what: fc.constantFrom('a', 'b', 'c'), risk: fc.boolean() });
    fc.assert(
      fc.property(fc.array(fc.array(one, { maxLength: 5 }), { minLength: 1, maxLength: 5 }), (all) => {
        const classes = all.map((some) => some.map(({ what }) => difference(what, what === 'a')));
        const { common, some } = compareClasses(classes);
        const listed = [...common, ...some.map((each) => each.difference)].map(({ what }) => what);
        expect(listed.toSorted()).toEqual([...new Set(classes.flat().map(({ what }) => what))].toSorted());
        for (const { what } of common)
          expect(classes.every((own) => own.some((each) => each.what === what))).toBe(true);
        for (const {
          difference: { what },
          classes: places,
        } of some)
          expect(places).toEqual(classes.flatMap((own, at) => (own.some((each) => each.what === what) ? [at] : [])));
      }),
    );
  });
});
