import { describe, expect, it } from 'vitest';
import { incompatibilityText, incompatibleOperators, nextMinorVersion } from './incompatible-operators.js';
import { maxOpenShiftVersion } from './max-openshift-version.js';

const property = (value: unknown) => ({ type: 'olm.maxOpenShiftVersion', value });
const own = (...values: unknown[]) => ({ 'olm.properties': JSON.stringify(values.map(property)) });
const projected = (...values: unknown[]) => ({
  'operatorframework.io/properties': JSON.stringify({ properties: values.map(property) }),
});
const SEVERAL = { error: 'defining more than one "olm.maxOpenShiftVersion" property is not allowed' };

describe('the newest OpenShift that an operator supports', () => {
  it.each([
    { annotations: {}, is: undefined, because: 'nothing is said' },
    {
      annotations: { 'olm.properties': '[{"type":"other","value":1}]' },
      is: undefined,
      because: 'nothing is said of it',
    },
    { annotations: { 'olm.properties': 'null' }, is: undefined, because: 'what OLM v1 writes for no properties' },
    { annotations: own('4.20'), is: { major: 4n, minor: 20n }, because: "the author's annotation" },
    { annotations: projected('4.20'), is: { major: 4n, minor: 20n }, because: "OLM's annotation" },
    { annotations: own('"4.9"'), is: { major: 4n, minor: 9n }, because: 'quotes too many' },
    { annotations: own('v4.9.0'), is: { major: 4n, minor: 9n }, because: 'read tolerantly' },
    { annotations: own(4.9), is: { major: 4n, minor: 9n }, because: 'a number' },
    {
      annotations: { ...own('4.9'), ...projected('4.9') },
      is: { major: 4n, minor: 9n },
      because: 'one repeats the other',
    },
    { annotations: { ...own('4.9'), ...projected('4.8') }, is: SEVERAL, because: 'they contradict each other' },
    { annotations: own('4.9', '4.9'), is: SEVERAL, because: 'it may be said once' },
    { annotations: own(''), is: { error: 'value cannot be "" (an empty string)' }, because: 'empty is no version' },
    {
      annotations: own('4.9.1'),
      is: {
        error: 'property olm.maxOpenShiftVersion must specify only <major>.<minor> version, got invalid value 4.9.1',
      },
      because: 'patches do not count',
    },
    {
      annotations: own('4.9.0-rc.1'),
      is: { error: expect.stringContaining('got invalid value 4.9.0-rc.1') },
      because: 'nor do prereleases',
    },
    {
      annotations: own('next'),
      is: { error: expect.stringContaining('failed to parse "next" as semver: ') },
      because: 'no version',
    },
    {
      annotations: own({}),
      is: { error: expect.stringContaining('failed to parse "{}" as semver: ') },
      because: 'no text',
    },
    {
      annotations: { 'olm.properties': '{' },
      is: { error: 'annotation olm.properties holds no properties in JSON' },
      because: 'it cannot be read',
    },
  ])('$because', ({ annotations, is }) => {
    expect(maxOpenShiftVersion(annotations)).toEqual(is);
  });
});

describe('the next minor version', () => {
  it.each([
    { release: '4.18.7', next: { major: 4n, minor: 19n }, because: 'whatever the patch' },
    { release: '4.18.0-rc.3', next: { major: 4n, minor: 19n }, because: 'whatever the prerelease' },
    { release: '4.23.1', next: { major: 5n, minor: 0n }, because: 'OpenShift 4 ends with 4.23' },
    { release: 'latest', next: { error: expect.any(String) }, because: 'it is no version' },
  ])('of $release: $because', ({ release, next }) => {
    expect(nextMinorVersion(release)).toEqual(next);
  });
});

it('operators that block the next minor version are named, the unreadable first', () => {
  const next = { major: 4n, minor: 19n };
  const operators = [
    { name: 'b/old', annotations: own('4.18') },
    { name: 'a/old', annotations: own('4.9') },
    { name: 'c/good', annotations: own('4.19') },
    { name: 'd/silent', annotations: {} },
    { name: 'e/broken', annotations: own('4.18.1') },
    { name: 'f/newer', annotations: own('5.0') },
  ];
  const incompatible = incompatibleOperators(operators, next);
  expect(incompatible.map(({ name }) => name)).toEqual(['e/broken', 'a/old', 'b/old']);
  expect(incompatibilityText('ClusterServiceVersions', incompatible, next).split('\n')).toEqual([
    'ClusterServiceVersions blocking minor version upgrades to 4.19.0:',
    expect.stringMatching(/^- e\/broken has invalid olm\.maxOpenShiftVersion properties: /),
    '- maximum supported OCP version for a/old is 4.9',
    '- maximum supported OCP version for b/old is 4.18',
  ]);
  expect(incompatibleOperators(operators.slice(2, 4), next)).toEqual([]);
});
