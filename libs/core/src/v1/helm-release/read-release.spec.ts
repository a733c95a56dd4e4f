import { describe, expect, it } from 'vitest';
import { readRelease } from './read-release.js';

const LABELS = {
  'olm.operatorframework.io/bundle-name': 'gear.v1.0.0',
  'olm.operatorframework.io/bundle-version': '1.0.0',
  'olm.operatorframework.io/bundle-reference': 'registry.test/gear:1.0.0',
};
const release = (manifest: unknown, status = 'deployed', more: object = {}) =>
  JSON.stringify({ name: 'gear', info: { status }, manifest, ...more });
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', creationTimestamp: null } };
const line = JSON.stringify(settings);

describe('a Helm release of OLM v1', () => {
  it('has one object in each line, without fields that are null, and the bundle of its labels', () => {
    const chart = { metadata: { annotations: { 'olm.properties': '[]' } } };
    expect(readRelease(release(`---\n# Source: object.json\n${line}\n\n`, 'deployed', { chart }), LABELS)).toEqual({
      from: { bundle: { name: 'gear.v1.0.0', version: '1.0.0' }, image: 'registry.test/gear:1.0.0' },
      objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }],
      olmProperties: '[]',
    });
  });

  it.each([
    { of: 'no JSON', text: 'x', error: 'its status is not "deployed"' },
    { of: 'a failed one', text: release(line, 'failed'), error: 'its status is not "deployed"' },
    { of: 'one without manifests', text: release(undefined), error: 'it has no manifests' },
    { of: 'other text', text: release(`${line}\nkind: ConfigMap`), error: 'its manifest 2 is not a Kubernetes object' },
    { of: 'an object without kind', text: release('{}'), error: 'its manifest 1 is not a Kubernetes object' },
    {
      of: 'a manifest that nests too deep',
      text: release(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{},"x":${'['.repeat(300)}${']'.repeat(300)}}`),
      error: 'its manifest 1 is not a Kubernetes object',
    },
    { of: 'too many objects', text: release(`${line}\n`.repeat(1001)), error: 'it has more than 1000 objects' },
    { of: 'endless lines', text: release('\n'.repeat(100_000)), error: 'it has more than 1000 objects' },
  ])('$of is refused', ({ text, error }) => {
    expect(readRelease(text, LABELS)).toEqual({ error });
  });

  it('counts no brackets in texts', () => {
    const object = { ...settings, data: { text: `\\"${'['.repeat(500)}` } };
    expect(readRelease(release(JSON.stringify(object)), LABELS)).toMatchObject({ objects: [{ data: object.data }] });
  });

  it('without the labels of its bundle is refused', () => {
    expect(readRelease(release(line), {})).toEqual({ error: 'its Secret does not name its bundle' });
  });
});
