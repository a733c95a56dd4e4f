import { describe, expect, it } from 'vitest';
import { UNPACK_RETRY_ANNOTATION, UNPACK_TIMEOUT_ANNOTATION, unpackSettings } from './unpack-annotations.js';

const group = (annotations: Record<string, string>) => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup' as const,
  metadata: { name: 'mill', namespace: 'mill', annotations },
});

describe('unpackSettings', () => {
  it.each([
    { because: 'nothing is said', annotations: {}, wanted: {} },
    { because: 'a timeout', annotations: { [UNPACK_TIMEOUT_ANNOTATION]: '1m30s' }, wanted: { timeoutMs: 90_000 } },
    {
      because: 'zero is no timeout at all',
      annotations: { [UNPACK_TIMEOUT_ANNOTATION]: '0' },
      wanted: { timeoutMs: 0 },
    },
    { because: 'below zero is not set', annotations: { [UNPACK_TIMEOUT_ANNOTATION]: '-1m' }, wanted: {} },
    { because: 'an interval', annotations: { [UNPACK_RETRY_ANNOTATION]: '5m' }, wanted: { minRetryMs: 300_000 } },
    { because: 'no interval', annotations: { [UNPACK_RETRY_ANNOTATION]: '0s' }, wanted: {} },
    {
      because: 'a bare number has no unit',
      annotations: { [UNPACK_TIMEOUT_ANNOTATION]: '5' },
      wanted: {
        error:
          'failed to parse unpack timeout annotation(operatorframework.io/bundle-unpack-timeout: 5): time: missing unit in duration "5"',
      },
    },
    {
      because: 'a word is no duration',
      annotations: { [UNPACK_RETRY_ANNOTATION]: 'soon' },
      wanted: {
        error:
          'failed to parse unpack retry annotation(operatorframework.io/bundle-unpack-min-retry-interval: soon): time: invalid duration "soon"',
      },
    },
  ])('$because', ({ annotations, wanted }) => {
    expect(unpackSettings(group(annotations))).toEqual(wanted);
  });
});
