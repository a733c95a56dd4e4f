import { describe, expect, it } from 'vitest';
import { catalogStatusesCheck } from './catalog-statuses-check.js';

const DENIED = 'catalogsources "shop" is forbidden: User "hub" cannot update resource "catalogsources/status"';

describe('statuses of catalogs that cannot be written', () => {
  it('are named by cluster, with the words of the API server', async () => {
    const unwritten = new Map([
      ['west', [DENIED, 'another']],
      ['east', []],
    ]);
    const trouble = `the status of a catalog cannot be written: ${DENIED}, and 1 more catalog`;
    expect(await catalogStatusesCheck(() => unwritten).check()).toEqual({
      ...{ up: true, degraded: true, clusters: ['east', 'west'] },
      detail: `west (${trouble})`,
      troubles: { west: trouble },
    });
  });

  it('are none: the check is up', async () => {
    const health = await catalogStatusesCheck(() => new Map([['east', []]])).check();
    expect(health).toEqual({ up: true, detail: 'statuses of catalogs are written', clusters: ['east'] });
  });
});
