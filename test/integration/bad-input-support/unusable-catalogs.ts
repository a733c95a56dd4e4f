import { beforeAll, describe, expect, it } from 'vitest';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { PATIENCE } from '#testing/patience';
import { type BadInputEnvironment, GLOBAL_CATALOG } from '../../story/bad-input-environment.js';
import * as fixture from '../../story/bad-input-fixture.js';
import { file, rawImage, symlink } from '../../story/raw-image.js';

const { catalogImage, packageYaml } = fixture;

/** A CatalogSource that nothing can be resolved from; `because` is also the name of its namespace. */
type Row = Readonly<{
  because: string;
  /** The content of its image, if it names one of ours. */
  image?: () => Promise<BuiltImage>;
  spec?: Readonly<Record<string, unknown>>;
  /** State, reason and message of the CatalogSource. */
  says: RegExp;
}>;

const labels = { [CATALOG_LABEL]: '/configs' };
const fine = packageYaml('fine', 'x/y:1');
const orphanEntry = fine.replace('  - name: fine.v1.0.0\n', '  - name: fine.v1.0.0\n  - name: fine.v0.9.0\n');

const failing = (text: string): RegExp =>
  new RegExp(`^TRANSIENT_FAILURE \\| RegistryServerError \\| .*${text}.*; failing since \\S+, next check \\S+\\.$`);

const rows: readonly Row[] = [
  {
    because: 'broken-yaml',
    image: () => catalogImage({ 'a.yaml': fine, 'b/c.yaml': 'schema: olm.package\nname: [\n' }),
    says: failing('catalog \\S+/bad/broken-yaml:1 is invalid: b/c\\.yaml:2: error converting YAML to JSON'),
  },
  {
    because: 'entry-without-bundle',
    image: () => catalogImage({ 'a.yaml': orphanEntry }),
    says: failing(
      'catalog \\S+ is invalid: a\\.yaml:\\d+: no olm.bundle blobs found in package "fine" .*fine\\.v0\\.9\\.0',
    ),
  },
  {
    because: 'image-of-something-else',
    image: () => buildImage({ files: [{ path: 'a', bytes: Buffer.from('b') }], labels: {} }),
    says: failing(`not a catalog image: label ${CATALOG_LABEL} is missing`),
  },
  {
    because: 'file-out-of-the-root',
    image: () => rawImage([file('configs/a.yaml', fine), file('configs/../../escape.yaml', 'x')], labels),
    says: failing('\\.\\./\\.\\./escape\\.yaml'),
  },
  {
    because: 'link-out-of-the-root',
    image: () => rawImage([symlink('configs', '../../../../etc')], labels),
    says: failing('link "configs" points out of the image to "(\\.\\./)+etc"'),
  },
  {
    because: 'unreachable-registry',
    spec: { image: '127.0.0.1:47/a/b:1' },
    says: failing('cannot reach registry 127\\.0\\.0\\.1:47 '),
  },
  { because: 'no-such-image', says: failing('answered 404: .*check name and tag') },
  { because: 'no-reference', spec: { image: 'UPPER case' }, says: failing('UPPER case') },
  {
    because: 'pull-secret-missing',
    spec: { image: '127.0.0.1:47/a/b:1', secrets: ['nowhere'] },
    says: failing('pull secret pull-secret-missing/nowhere, .* does not exist: create it'),
  },
  {
    because: 'address-known-in-the-cluster-only',
    spec: { address: 'shelf.default.svc:50051' },
    says: failing('only the cluster knows this name: use an address that is reachable from here'),
  },
  {
    because: 'address-that-nobody-knows',
    spec: { address: 'nowhere.invalid:50051' },
    says: failing('catalog at nowhere\\.invalid:50051 .*check that the catalog server runs'),
  },
  {
    because: 'address-without-port',
    spec: { address: 'shelf.example' },
    says: failing('invalid catalog address "shelf\\.example": expected HOST:PORT'),
  },
  {
    because: 'configmap-missing',
    spec: { sourceType: 'configmap', configMap: 'shelf' },
    says: /^TRANSIENT_FAILURE \| ConfigMapError \| failed to get catalog config map shelf: configmaps "shelf" not found$/,
  },
  {
    because: 'neither-image-nor-address',
    spec: {},
    says: /^SpecInvalidError \| image and address unset: at least one must be set for sourcetype: grpc$/,
  },
  {
    because: 'unknown-type',
    spec: { sourceType: 'flat' },
    says: /^SpecInvalidError \| unknown sourcetype: flat$/,
  },
  {
    because: 'configmap-unset',
    spec: { sourceType: 'configmap' },
    says: /^SpecInvalidError \| configmap name unset: must be set for sourcetype: configmap$/,
  },
];

export function describeUnusableCatalogs(environment: () => BadInputEnvironment): void {
  describe('a CatalogSource that nothing can be resolved from', () => {
    let set: BadInputEnvironment;
    beforeAll(() => {
      set = environment();
    });

    describe.concurrent('says why, and so does each Subscription that sees it', () => {
      it.for(rows)('$because', async ({ because: namespace, image, spec, says }, { expect: expecting }) => {
        const reference = `bad/${namespace}:1`;
        if (image !== undefined) set.registry.put(reference, await image());
        await fixture.createNamespace(set.east, namespace);
        await fixture.createCatalog(set.east, namespace, spec ?? { image: `${set.registry.host}/${reference}` });
        await fixture.subscribe(set.east, namespace, 'fine');
        await expecting.poll(() => fixture.catalogStatus(set.east, namespace), PATIENCE).toMatch(says);
        const shelf = `catalogsource ${namespace}/shelf`;
        const why = `error using ${shelf}: no registry client established for ${shelf}: `;
        await expecting
          .poll(() => fixture.subscriptionStatus(set.east, namespace, 'fine'), PATIENCE)
          .toEqual([
            `CatalogSourcesUnhealthy UnhealthyCatalogSourceFound: targeted ${shelf} unhealthy`,
            expecting.stringContaining(`ResolutionFailed ErrorPreventedResolution: ${why}`),
          ]);
        await expecting
          .poll(() => fixture.warnings(set.east, namespace), PATIENCE)
          .toContainEqual(
            expecting.stringMatching(/^ResolutionFailed: .*Repair the named CatalogSources, or delete those/),
          );
      });
    });

    it('holds up no other namespace of its cluster, while all of these are broken at once', async () => {
      await fixture.createNamespace(set.east, 'innocent');
      await fixture.subscribe(set.east, 'innocent', 'lighthouse-operator', GLOBAL_CATALOG);
      await expect
        .poll(() => fixture.operators(set.east, 'innocent'), PATIENCE)
        .toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
      for (const { because, says } of rows) expect(await fixture.catalogStatus(set.east, because)).toMatch(says);
    });

    it('in the global namespace blocks its own cluster alone, and deleting it frees everybody', async () => {
      const { name, namespace } = { name: 'broken', namespace: GLOBAL_CATALOG.namespace };
      await fixture.createCatalog(set.west, namespace, { image: '127.0.0.1:47/a/b:1' }, name);
      await expect.poll(() => fixture.catalogStatus(set.west, namespace, name), PATIENCE).toMatch(/^TRANSIENT_FAILURE/);
      for (const client of [set.west, set.east]) {
        await fixture.createNamespace(client, 'bystander');
        await fixture.subscribe(client, 'bystander', 'lighthouse-operator', GLOBAL_CATALOG);
      }
      const blocked = `ResolutionFailed ErrorPreventedResolution: error using catalogsource ${namespace}/${name}: `;
      await expect
        .poll(() => fixture.subscriptionStatus(set.west, 'bystander', 'lighthouse-operator'), PATIENCE)
        .toContainEqual(expect.stringContaining(blocked));
      const runs = ['lighthouse-operator.v1.0.0 Succeeded'];
      await expect.poll(() => fixture.operators(set.east, 'bystander'), PATIENCE).toEqual(runs);
      expect(await fixture.operators(set.west, 'bystander')).toEqual([]);
      await fixture.deleteCatalog(set.west, namespace, name);
      await expect.poll(() => fixture.operators(set.west, 'bystander'), PATIENCE).toEqual(runs);
      await expect
        .poll(() => fixture.subscriptionStatus(set.west, 'bystander', 'lighthouse-operator'), PATIENCE)
        .toEqual([]);
    });
  });
}
