import { describe, expect, it } from 'vitest';
import { readBundle } from '../../../catalog/bundle/read-bundle.js';
import { installProblems } from './install-problems.js';

const file = (path: string, content: object) => ({ path, bytes: Buffer.from(JSON.stringify(content)) });
const annotations = { 'operators.operatorframework.io.bundle.package.v1': 'lamp' };

/** A bundle with these fields in the spec of its CSV, and these objects beside it. */
const bundle = (spec: object, ...objects: readonly object[]) =>
  readBundle([
    file('metadata/annotations.yaml', { annotations }),
    file('manifests/csv.yaml', {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: 'lamp.v1.0.0' },
      spec: { version: '1.0.0', install: { strategy: 'deployment', spec: { deployments: [] } }, ...spec },
    }),
    ...objects.map((object, at) => file(`manifests/${at}.yaml`, object)),
  ]);

const monitor = (kind: string) => ({ apiVersion: 'monitoring.coreos.com/v1', kind, metadata: { name: 'lamp' } });

describe('why OLM does not install a bundle that opm lets pass', () => {
  it('has nothing against kinds that plans bring, and leaves to opm what it refuses itself', () => {
    expect(installProblems(bundle({}, monitor('ServiceMonitor'), monitor('Gauge')))).toEqual([]);
  });

  it('names an object of a kind that no plan brings', () => {
    expect(installProblems(bundle({}, monitor('PodMonitor')))).toEqual([
      'manifests/0.yaml: PodMonitor lamp: objects of this kind cannot be installed by a plan of OLM; OLM v1 installs them',
    ]);
  });

  it('names the CSV whose phases fail in every cluster', () => {
    expect(installProblems(bundle({ minKubeVersion: 'latest' }))).toEqual([
      expect.stringMatching(
        /^manifests\/csv\.yaml: ClusterServiceVersion lamp\.v1\.0\.0: spec\.minKubeVersion "latest" is not a version/,
      ),
    ]);
  });
});
