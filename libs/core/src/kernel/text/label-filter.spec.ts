import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLabels, labelText, withoutLabel } from './label-filter.js';

const EU_PROD = { labels: { region: 'eu', tier: 'prod' } };

describe('filter label', () => {
  it.each([
    [['region=eu'], true],
    [['region=us'], false],
    [['region=us', 'region=eu'], true],
    [['region=eu', 'tier=prod'], true],
    [['region=eu', 'tier=lab'], false],
    [['!region='], false],
    [['!zone='], true],
    [['zone='], false],
    [['!zone=', 'zone=a', 'region=eu'], true],
    [['toString='], false],
    [['!toString='], true],
  ])('takes several values of one label as alternatives, and different labels together: %j', (wanted, holds) => {
    expect(hasLabels(wanted)(EU_PROD)).toBe(holds);
  });

  it('finds a cluster by each of its labels, whatever characters it has, and not by one that it does not have', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6 }).map((one) => `${one}=!\\`);
    fc.assert(
      fc.property(fc.dictionary(text, text), text, (labels, other) => {
        const all = Object.entries(labels).map(([key, value]) => labelText(key, value));
        expect(hasLabels(all)({ labels })).toBe(true);
        expect(hasLabels([withoutLabel(other)])({ labels })).toBe(!Object.hasOwn(labels, other));
        expect(hasLabels([labelText(other, 'x')])({ labels })).toBe(false);
      }),
    );
  });
});
