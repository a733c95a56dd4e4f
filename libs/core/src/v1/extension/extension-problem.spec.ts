import { describe, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '../../kernel/api/cluster-extension.js';
import { type DesiredExtension, desiredExtension, isProblemOf } from './extension-problem.js';

const extension = (version: string): ClusterExtension => ({
  ...CLUSTER_EXTENSION_API,
  metadata: { name: 'lamp' },
  spec: { namespace: 'lights', source: { sourceType: 'Catalog', catalog: { packageName: 'lamp', version } } },
});
const desired = (version: string, gates = {}): DesiredExtension => {
  const found = desiredExtension(extension(version), undefined, gates);
  if (found === undefined) throw new Error('the extension names a catalog');
  return found;
};

describe('whether a problem is of the present desired state', () => {
  const withReleases = { v: 1, extension: desired('1.0.0', { BundleReleaseSupport: true }), catalogs: [] } as const;

  it('is so whatever feature gates the poller has', () => {
    expect(withReleases.extension.gates).toEqual({ BundleReleaseSupport: true });
    expect(isProblemOf(withReleases, desired('1.0.0'))).toBe(true);
    expect(isProblemOf({ ...withReleases, extension: desired('1.0.0') }, desired('1.0.0'))).toBe(true);
  });

  it('is not so once something else is wanted', () => {
    expect(isProblemOf(withReleases, desired('1.1.0'))).toBe(false);
  });
});
