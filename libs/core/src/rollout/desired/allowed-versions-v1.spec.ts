import { describe, expect, it } from 'vitest';
import { allowedQuery, v1VersionRefusal } from './allowed-versions-v1.js';

describe('versions of a FleetOperator of OLM v1', () => {
  it.each([
    [undefined, undefined],
    [{ range: '1.x' }, '1.x'],
    [{ deny: ['1.1.0'] }, '*, !=1.1.0'],
    [{ range: '<1.0.0 || >=2.0.0', deny: ['2.1.0', '2.2.x'] }, '<1.0.0, !=2.1.0 || >=2.0.0, !=2.1.0'],
  ])('%j asks for %s', (versions, query) => {
    expect(allowedQuery(versions)).toBe(query);
  });

  it.each([
    [undefined, '1.0.0', undefined],
    [{ range: '1.x' }, '1.4.0', undefined],
    [{ range: '1.x' }, '2.0.0', 'spec.versions.range 1.x excludes 2.0.0'],
    [{ deny: ['2.2.x'] }, '2.2.3', 'spec.versions.deny has 2.2.x, and that includes 2.2.3'],
    [{ deny: ['many'] }, '2.2.3', 'spec.versions has "many", but that is not a range: improper constraint: "many"'],
  ])('%j and %s: %s', (versions, version, refusal) => {
    expect(v1VersionRefusal(versions, version)).toBe(refusal);
  });
});
