import { describe, expect, it } from 'vitest';
import { catalogBundleOf } from './bundle-blob.js';
import { readBundle } from './read-bundle.js';

const NOTES = 'annotations: {operators.operatorframework.io.bundle.package.v1: ant}\n';

/** The images that a bundle at `registry.example/ant:v1` names, with this in its CSV's spec. */
function images(spec: string): string[] {
  const csv = `apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: ant.v1}\nspec: {${spec}}\n`;
  const files = Object.entries({ 'manifests/csv.yaml': csv, 'metadata/annotations.yaml': NOTES });
  const bundle = readBundle(files.map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })));
  return catalogBundleOf(bundle, 'registry.example/ant:v1').relatedImages.map(({ image }) => image);
}

describe('the related images of a bundle', () => {
  const deployments =
    'spec: {deployments: [{spec: {template: {spec: {containers: [{image: b}], initContainers: [{image: a}]}}}}]}';

  it.each([
    {
      spec: `install: {strategy: deployment, ${deployments}}`,
      found: ['a', 'b', 'registry.example/ant:v1'],
      because: 'its own, and those of all containers',
    },
    {
      spec: `relatedImages: [{name: one, image: b}], install: {strategy: deployment, ${deployments}}`,
      found: ['a', 'b', 'registry.example/ant:v1'],
      because: 'each once',
    },
    {
      spec: `install: {strategy: other, ${deployments}}`,
      found: ['registry.example/ant:v1'],
      because: 'no containers of an unknown strategy',
    },
    { spec: `install: {${deployments}}`, found: ['registry.example/ant:v1'], because: 'nor of none' },
  ])('are $found: $because', ({ spec, found }) => {
    expect(images(spec)).toEqual(found);
  });
});
