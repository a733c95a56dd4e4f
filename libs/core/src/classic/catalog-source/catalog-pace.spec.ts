import { describe, expect, it } from 'vitest';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { checkInterval, jittered, retryDelay, secretRetryDelay } from './catalog-pace.js';

const source = (spec: Partial<CatalogSource['spec']>): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm' },
  spec: { sourceType: 'grpc', ...spec },
});

describe('the pace of a catalog', () => {
  it.each([
    { random: 0, gives: 900 },
    { random: 0.5, gives: 1_000 },
    { random: 1, gives: 1_100 },
  ])('is spread by a tenth to both sides: $random', ({ random, gives }) => expect(jittered(1_000, random)).toBe(gives));

  it.each([
    { failures: 1, seconds: 5 },
    { failures: 2, seconds: 10 },
    { failures: 6, seconds: 160 },
    { failures: 7, seconds: 300 },
    { failures: 5_000, seconds: 300 },
  ])('after $failures failures waits $seconds s', ({ failures, seconds }) =>
    expect(retryDelay(failures, 0.5)).toBe(seconds * 1_000),
  );

  it.each([
    { because: 'no secrets', spec: { image: 'a/b:c' }, gives: Number.POSITIVE_INFINITY },
    { because: 'an empty name is none', spec: { image: 'a/b:c', secrets: [''] }, gives: Number.POSITIVE_INFINITY },
    { because: 'a secret may be on its way', spec: { image: 'a/b:c', secrets: ['pull'] }, gives: 30_000 },
  ])('reads secrets again soon: $because', ({ spec, gives }) =>
    expect(secretRetryDelay(source(spec), 0.5)).toBe(gives),
  );

  it.each([
    { kind: 'image' as const, spec: { image: 'a/b:c' }, minutes: undefined },
    {
      kind: 'image' as const,
      spec: { image: 'a/b:c', updateStrategy: { registryPoll: { interval: '10m' } } },
      minutes: 10,
    },
    { kind: 'image' as const, spec: { image: 'a/b:c', updateStrategy: { registryPoll: {} } }, minutes: 15 },
    {
      kind: 'grpc' as const,
      spec: { address: 'x:1', updateStrategy: { registryPoll: { interval: '1m' } } },
      minutes: 30,
    },
    { kind: 'configMap' as const, spec: { sourceType: 'configmap', configMap: 'c' }, minutes: 15 },
  ])('$kind is polled every $minutes minutes', ({ kind, spec, minutes }) =>
    expect(checkInterval(source(spec), kind)).toBe(minutes === undefined ? undefined : minutes * 60_000),
  );
});
