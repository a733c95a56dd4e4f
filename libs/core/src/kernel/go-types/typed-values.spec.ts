import { describe, expect, it } from 'vitest';
import { problemText } from './decoded.js';
import { readTyped } from './read-typed.js';
import { writtenTyped } from './write-typed.js';

const CSV = 'alpha.ClusterServiceVersion';
const csv = (spec: object) => ({ apiVersion: 'v1', kind: 'ClusterServiceVersion', metadata: { name: 'a' }, spec });
const read = (spec: object) => readTyped<{ spec: object }>(CSV, csv(spec));
const written = (spec: object) => writtenTyped<{ spec: Record<string, unknown> }>(CSV, csv(spec));
const problems = (value: object) => {
  const decoded = readTyped('Object', value);
  return decoded.ok ? [] : decoded.problems.map((one) => problemText([one]));
};
const object = (metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

describe('a value read into a Go type', () => {
  it('is not copied if nothing in it changes', () => {
    const value = object({ name: 'a', labels: { b: 'c' }, other: null });
    expect(readTyped('Object', value)).toEqual({ ok: true, value });
    const decoded = readTyped('Object', value);
    expect(decoded.ok && decoded.value).toBe(value);
  });

  it.each(['labels', 'annotations', 'namespace', 'uid', 'generation', 'ownerReferences', 'finalizers'])(
    'takes %s that is null for absent',
    (field) => {
      expect(readTyped('Object', object({ name: 'a', [field]: null }))).toEqual({
        ok: true,
        value: object({ name: 'a' }),
      });
    },
  );

  it('takes null in a map for the empty text', () => {
    const value = object({ annotations: { createdAt: null, 'a.test/b': 'c' } });
    expect(readTyped('Object', value)).toEqual({
      ok: true,
      value: object({ annotations: { createdAt: '', 'a.test/b': 'c' } }),
    });
  });

  it('has what Go always writes', () => {
    expect(read({ relatedImages: [{}, null], installModes: [{ type: 'OwnNamespace' }], unknown: null })).toMatchObject({
      ok: true,
      value: {
        spec: {
          displayName: '',
          relatedImages: [
            { name: '', image: '' },
            { name: '', image: '' },
          ],
          installModes: [{ type: 'OwnNamespace', supported: false }],
          unknown: null,
        },
      },
    });
  });

  it.each([
    [{ annotations: { hot: true } }, 'metadata.annotations.hot is the boolean true; a text is expected: quote it'],
    [
      { labels: { 'a.test/port': 8443 } },
      'metadata.labels[a.test/port] is the number 8443; a text is expected: quote it',
    ],
    [{ name: 5 }, 'metadata.name is the number 5; a text is expected: quote it'],
    [{ finalizers: 'x' }, 'metadata.finalizers is a text; a list is expected'],
    [
      { ownerReferences: [{ controller: 'true' }] },
      'metadata.ownerReferences[0].controller is the text "true"; true or false is expected: remove the quotes',
    ],
    [{ generation: '3' }, 'metadata.generation is the text "3"; a number is expected: remove the quotes'],
    [{ generation: 1.5 }, 'metadata.generation is the number 1.5; a whole number is expected'],
  ])('is refused by its field: %j', (metadata, text) => {
    expect(problems(object(metadata))).toEqual([text]);
  });
});

describe('a value as Go writes it', () => {
  it('has what Go writes of a CSV without a spec', () => {
    expect(written({})).toEqual({
      ok: true,
      value: {
        kind: 'ClusterServiceVersion',
        apiVersion: 'v1',
        metadata: { name: 'a' },
        spec: {
          install: { strategy: '', spec: { deployments: null } },
          version: '0.0.0',
          customresourcedefinitions: {},
          apiservicedefinitions: {},
          displayName: '',
          provider: {},
          cleanup: { enabled: false },
        },
        status: { cleanup: {} },
      },
    });
  });

  it('has one form of versions and quantities, and no unknown field', () => {
    const container = { name: 'a', resources: { limits: { cpu: '1000m', memory: 1024 } }, colour: 'red' };
    const deployment = { name: 'a', label: null, spec: { template: { spec: { containers: [container] } } } };
    const decoded = written({ version: 'v1.2', release: '1', install: { spec: { deployments: [deployment] } } });
    expect(decoded.ok && decoded.value.spec).toMatchObject({ version: '1.2.0', release: '1' });
    expect(decoded.ok && decoded.value.spec['install']).toEqual({
      strategy: '',
      spec: {
        deployments: [
          {
            name: 'a',
            spec: {
              selector: null,
              template: {
                metadata: {},
                spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1', memory: '1024' } } }] },
              },
              strategy: {},
            },
          },
        ],
      },
    });
  });

  it('knows fields in any case', () => {
    const decoded = written({ DISPLAYNAME: 'a', MinKubeVersion: '1.2.3' });
    expect(decoded.ok && decoded.value.spec).toMatchObject({ displayName: 'a', minKubeVersion: '1.2.3' });
  });

  it('has times in one form', () => {
    const value = (creationTimestamp: string) => ({ ...csv({}), metadata: { creationTimestamp } });
    expect(writtenTyped(CSV, value('2026-01-02T03:04:05.678+01:00'))).toMatchObject({
      value: { metadata: { creationTimestamp: '2026-01-02T02:04:05Z' } },
    });
    expect(writtenTyped(CSV, value('soon'))).toMatchObject({
      problems: [{ field: 'metadata.creationTimestamp', message: expect.stringContaining('is "soon"; a time') }],
    });
  });

  it('names every field with a wrong value', () => {
    const decoded = written({ version: 1, skips: 'a', install: { strategy: 1 } });
    expect(decoded).toEqual({
      ok: false,
      problems: [
        { field: 'spec.install.strategy', message: 'is the number 1; a text is expected: quote it' },
        { field: 'spec.version', message: 'is the number 1; a text is expected: quote it' },
        { field: 'spec.skips', message: 'is a text; a list is expected' },
      ],
    });
  });
});
