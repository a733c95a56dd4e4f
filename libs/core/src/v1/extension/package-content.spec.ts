import { expect, it } from 'vitest';
import { packageIndex } from './package-content.js';

it.each([
  { value: { packageName: 'lamp', version: '1.0.0' }, error: undefined },
  {
    value: { packageName: 3, version: '1.0.0' },
    error:
      'error unmarshalling package property: json: cannot unmarshal number into Go struct field Package.packageName of type string',
  },
])('the version of a bundle with package property $value', ({ value, error }) => {
  const bundle = {
    schema: 'olm.bundle' as const,
    name: 'lamp.v1',
    package: 'lamp',
    image: 'i',
    relatedImages: [],
    objects: [],
  };
  const catalog = {
    packages: [],
    channels: [],
    deprecations: [],
    others: [],
    bundles: [{ ...bundle, properties: [{ type: 'olm.package', value }] }],
  };
  const version = packageIndex(catalog, {}).package('lamp')?.bundles[0]?.version;
  expect(version && 'error' in version ? version.error : undefined).toBe(error);
});
