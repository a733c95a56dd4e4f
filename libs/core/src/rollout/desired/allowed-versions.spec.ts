import { describe, expect, it } from 'vitest';
import { versionRefusal } from './allowed-versions.js';

describe('versions of a FleetOperator', () => {
  it.each<readonly [object | undefined, string | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    [{ deny: [] }, undefined, undefined],
    [{ range: '>=2.3.0 <3.0.0' }, '2.4.0', undefined],
    [{ range: '>=2.3.0 <3.0.0' }, '3.0.0', 'spec.versions.range >=2.3.0 <3.0.0 excludes 3.0.0'],
    [{ range: '2.3.0' }, '2.3.1', 'spec.versions.range 2.3.0 excludes 2.3.1'],
    [{ range: '>=2.0.0', deny: ['2.4.1'] }, '2.4.1', 'spec.versions.deny has 2.4.1'],
    [{ deny: ['<2.0.0'] }, '1.9.0', 'spec.versions.deny has <2.0.0, and that includes 1.9.0'],
    [{ deny: ['2.4.1'] }, '2.4.2', undefined],
    [{ range: 'soon' }, '1.0.0', 'spec.versions has "soon", but that is not a range: '],
    [{ deny: ['1.0.0'] }, undefined, 'spec.versions cannot be compared with a bundle without a known version'],
    [{ deny: ['1.0.0'] }, 'new', 'spec.versions cannot be compared with version new: '],
  ])('%j lets %s in, or says why not', (versions, version, expected) => {
    const found = versionRefusal(versions, version);
    expect(found).toEqual(expected === undefined ? undefined : expect.stringContaining(expected));
  });
});
