import { describe, expect, it } from 'vitest';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { SharedValues } from './shared-values.js';

const group = (resourceVersion: string, namespace = 'harbour') => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name: 'own', namespace, uid: `uid-${resourceVersion}`, resourceVersion, labels: { a: 'b' } },
  spec: { targetNamespaces: [namespace] },
});

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('values that many objects have', () => {
  it('are held once, and objects are equal to what they were', () => {
    const shared = new SharedValues();
    const [one, other, third] = [group('1'), group('2'), group('2', 'sea')].map((object) =>
      shared.within(object).open(),
    );
    expect([one, other, third].map(json)).toEqual([group('1'), group('2'), group('2', 'sea')]);
    expect(other?.['spec']).toBe(one?.['spec']);
    expect(other?.metadata.labels).toBe(one?.metadata.labels);
    expect(third?.metadata.labels).toBe(one?.metadata.labels);
    expect(third?.['spec']).not.toBe(one?.['spec']);
  });

  it.each(['7', '007', '18446744073709551616', 'opaque', undefined])('keep the resourceVersion %s', (version) => {
    const { metadata, ...rest } = group('1');
    const kept = new SharedValues().within({ ...rest, metadata: { ...metadata, resourceVersion: version } });
    expect(kept.metadata.resourceVersion).toBe(version);
    expect(kept.open().metadata).toEqual({ ...metadata, resourceVersion: version });
  });

  it('are counted once, and what an object alone has is counted with it', () => {
    const shared = new SharedValues();
    const annotated = (version: string, text: string) =>
      shared.within({ ...group(version), metadata: { ...group(version).metadata, annotations: { text } } });
    const large = 'x'.repeat(10_000);
    expect(heldBytes(annotated('1', large))).toBeGreaterThan(10_000);
    expect(heldBytes(annotated('2', large))).toBeLessThan(1_000);
    expect(heldBytes(annotated('3', `${large}.`))).toBeGreaterThan(10_000);
  });

  it('are no more than are allowed, and objects that hold forgotten ones stay whole', () => {
    const shared = new SharedValues({ values: 8, characters: 1_000 });
    const first = shared.within(group('1', 'n-0')).open();
    for (let at = 1; at < 50; at += 1) shared.within(group('1', `n-${at}`));
    expect(shared.size).toBeLessThanOrEqual(16);
    expect(json(first)).toEqual(group('1', 'n-0'));
    for (let at = 0; at < 3; at += 1) shared.within(group('1', 'x'.repeat(400 + at)));
    expect(shared.size).toBeLessThan(16);
  });
});
