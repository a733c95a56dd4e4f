import { describe, expect, it } from 'vitest';
import { consoleLine, pageOf } from './console-page.js';

const ARN = 'arn:aws:eks:eu-west-1:111122223333:cluster/shop';

describe('the page of the console that a command prints', () => {
  it('has the public address, without a path of it', () => {
    const settings = { consoleExternalUrl: 'https://flotilla.example.com/ignored' };
    expect(consoleLine(settings, '/')).toBe('Console https://flotilla.example.com/\n');
  });

  it('is left out if the console has no public address', () => {
    expect(consoleLine({ consoleExternalUrl: '' }, '/rollouts')).toBe('');
  });

  it.each([
    [{ kind: 'Subscription', namespace: 'team', name: 'mill' }, `/${encodeURIComponent(ARN)}/team/subscriptions/mill`],
    [{ kind: 'ClusterExtension', name: 'lamp' }, `/${encodeURIComponent(ARN)}/extensions/lamp`],
    [{ kind: 'InstallPlan', namespace: 'team', name: 'install-1' }, `/${encodeURIComponent(ARN)}`],
  ])('of %o is below its cluster', (object, path) => {
    expect(pageOf({ cluster: ARN, ...object })).toBe(`/clusters${path}`);
  });

  it.each([
    [{ kind: 'CatalogSource', namespace: 'olm', name: 'community' }, 'olm/community'],
    [{ kind: 'ClusterCatalog', name: 'community' }, 'community'],
  ])('of %o lists that catalog in its cluster', (object, catalog) => {
    const { pathname, searchParams } = new URL(pageOf({ cluster: 'eu,west', ...object }), 'https://x.example');
    expect([pathname, ...searchParams.values()]).toEqual(['/catalogs', 'eu\\,west', catalog]);
  });
});
