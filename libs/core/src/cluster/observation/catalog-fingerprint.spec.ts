import { describe, expect, it } from 'vitest';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { catalogFingerprint } from './catalog-fingerprint.js';

const source = (status: CatalogSource['status'], image = 'a/b:c'): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm', uid: 'u' },
  spec: { sourceType: 'grpc', image },
  status,
});
const ready = { connectionState: { lastObservedState: 'READY', address: 'http://hub/content/1' } };

describe('catalogFingerprint', () => {
  it.each([
    { next: source({ ...ready, latestImageRegistryPoll: 'later' }), same: true, because: 'a poll found nothing new' },
    { next: source({ ...ready, reason: 'RegistryServerError' }), same: false, because: 'a refresh failed' },
    {
      next: source({ connectionState: { lastObservedState: 'CONNECTING' } }),
      same: false,
      because: 'it serves no more',
    },
    {
      next: source({ connectionState: { ...ready.connectionState, address: 'http://hub/content/2' } }),
      same: false,
      because: 'the content is another',
    },
    { next: source(ready, 'a/b:d'), same: false, because: 'another image is desired' },
  ])('same $same: $because', ({ next, same }) => {
    expect(catalogFingerprint(next) === catalogFingerprint(source(ready))).toBe(same);
  });
});
