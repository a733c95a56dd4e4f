import { describe, expect, it } from 'vitest';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { catalogStanding } from './catalog-standing.js';

const source = (status: CatalogSource['status'], image = 'a/b:c'): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm', uid: 'u' },
  spec: { sourceType: 'grpc', image },
  status,
});
const ready = { connectionState: { lastObservedState: 'READY', address: 'http://hub/content/1' } };

describe('catalogStanding', () => {
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
    { next: source(ready, 'a/b:d'), same: false, because: 'another image is wished' },
  ])('same $same: $because', ({ next, same }) => {
    expect(catalogStanding(next) === catalogStanding(source(ready))).toBe(same);
  });
});
