import { beforeAll, describe, expect, it } from 'vitest';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { PATIENCE } from '#testing/patience';
import { type BadInputEnvironment, GLOBAL_CATALOG } from '../../story/bad-input-environment.js';
import * as fixture from '../../story/bad-input-fixture.js';
import { file, rawImage } from '../../story/raw-image.js';

const { catalogImage, packageYaml } = fixture;
const RUNS = ['lighthouse-operator.v1.0.0 Succeeded'];
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };

/**
 * A bundle that its catalog offers and that cannot be installed; `because` is also its namespace and package.
 */
type BundleRow = Readonly<{
  because: string;
  image?: () => Promise<BuiltImage>;
  corrupt?: boolean;
  /** The text after "Bundle unpacking failed - ". */
  says: RegExp;
}>;

const text = (path: string, lines: string) => ({ path, bytes: Buffer.from(lines) });
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

const bundles: readonly BundleRow[] = [
  {
    because: 'bundle-without-csv',
    image: () => buildImage({ files: [text('manifests/map.yaml', configMap)], labels: {} }),
    says: /bundle [^ ]+: image [^ ]+: no csv in bundle: one file in manifests\/ must be a ClusterServiceVersion/,
  },
  {
    because: 'bundle-with-broken-yaml',
    image: () => buildImage({ files: [text('manifests/csv.yaml', 'kind: [\n')], labels: {} }),
    says: /csv\.yaml/,
  },
  {
    because: 'bundle-out-of-its-root',
    image: () => rawImage([file('manifests/../../csv.yaml', configMap)], {}),
    says: /\.\.\/\.\.\/csv\.yaml/,
  },
  {
    because: 'bundle-that-was-tampered-with',
    image: () => buildImage({ files: [text('manifests/tampered.yaml', configMap)], labels: {} }),
    corrupt: true,
    says: /digest/,
  },
  { because: 'bundle-that-is-gone', says: /answered 404/ },
];

export function describeUninstallable(environment: () => BadInputEnvironment): void {
  describe('what cannot be installed', () => {
    let set: BadInputEnvironment;
    beforeAll(() => {
      set = environment();
    });

    describe.concurrent('a bundle', () => {
      it.for(bundles)('$because is reported at the Subscription', async (row, { expect: expecting }) => {
        const { because: name, image, corrupt = false, says } = row;
        const { registry, east } = set;
        const reference = `bad/${name}:1`;
        const built = await image?.();
        if (built !== undefined) registry.put(reference, built);
        if (corrupt) for (const layer of built?.layers ?? []) registry.corrupt(layer.digest);
        registry.put(
          `bad/${name}-shelf:1`,
          await catalogImage({ 'a.yaml': packageYaml(name, `${registry.host}/${reference}`) }),
        );
        await fixture.createNamespace(east, name);
        await fixture.createCatalog(east, name, { image: `${registry.host}/bad/${name}-shelf:1` });
        await fixture.subscribe(east, name, name);
        const failed = 'BundleUnpackFailed BundleUnpackFailed: Bundle unpacking failed - ';
        await expecting
          .poll(() => fixture.subscriptionStatus(east, name, name), PATIENCE)
          .toEqual([expecting.stringMatching(new RegExp(`^${failed}.*${says.source}`))]);
        expecting(await fixture.catalogStatus(east, name)).toBe('READY');
      });
    });

    describe.concurrent('a Subscription', () => {
      it('to a package that is nowhere says so, in the words of OLM, with advice in an Event', async (context) => {
        const { east } = set;
        await fixture.createNamespace(east, 'ghosts');
        await fixture.subscribe(east, 'ghosts', 'ghost', GLOBAL_CATALOG);
        const says =
          'constraints not satisfiable: no operators found in package ghost in the catalog referenced by subscription ghost, subscription ghost exists';
        await context.expect
          .poll(() => fixture.subscriptionStatus(east, 'ghosts', 'ghost'), PATIENCE)
          .toEqual([`ResolutionFailed ConstraintsNotSatisfiable: ${says}`]);
        await context.expect
          .poll(() => fixture.warnings(east, 'ghosts'), PATIENCE)
          .toEqual([`ResolutionFailed: ${says}. Check spec.name: catalog olm/samples has no package ghost.`]);
      });

      it('to a catalog that is nowhere names it', async (context) => {
        const { east } = set;
        await fixture.createNamespace(east, 'lost');
        await fixture.subscribe(east, 'lost', 'lighthouse-operator', { name: 'nope', namespace: 'olm' });
        await context.expect
          .poll(() => fixture.subscriptionStatus(east, 'lost', 'lighthouse-operator'), PATIENCE)
          .toEqual([
            'CatalogSourcesUnhealthy UnhealthyCatalogSourceFound: targeted catalogsource olm/nope missing',
            context.expect.stringContaining('no operators found from catalog nope in namespace olm'),
          ]);
      });
    });

    describe.concurrent('a namespace', () => {
      it('with two OperatorGroups says so at both, and goes on once one is gone', async (context) => {
        const { east } = set;
        await fixture.createNamespace(east, 'two-groups', ['a', 'b']);
        await fixture.subscribe(east, 'two-groups', 'lighthouse-operator', GLOBAL_CATALOG);
        const reported = async () => {
          const found = await east.list<OperatorGroup>(GROUP, { namespace: 'two-groups' });
          return found?.items.map(({ status }) =>
            status?.conditions?.map(({ type, message }) => `${type}: ${message}`),
          );
        };
        const both = ['MultipleOperatorGroup: Multiple OperatorGroup found in the same namespace'];
        await context.expect.poll(reported, PATIENCE).toEqual([both, both]);
        await context.expect
          .poll(() => fixture.warnings(east, 'two-groups'), PATIENCE)
          .toEqual([context.expect.stringContaining('found 2 operatorGroups, expected 1: nothing is resolved')]);
        context.expect(await fixture.operators(east, 'two-groups')).toEqual([]);
        await east.delete({ ...GROUP, name: 'b', namespace: 'two-groups' });
        await context.expect.poll(() => fixture.operators(east, 'two-groups'), PATIENCE).toEqual(RUNS);
      });

      it('without OperatorGroup says so, and goes on once there is one', async (context) => {
        const { east } = set;
        await fixture.createNamespace(east, 'no-group', []);
        await fixture.subscribe(east, 'no-group', 'lighthouse-operator', GLOBAL_CATALOG);
        await context.expect
          .poll(() => fixture.warnings(east, 'no-group'), PATIENCE)
          .toEqual([context.expect.stringContaining('found 0 operatorGroups, expected 1: nothing is resolved')]);
        context.expect(await fixture.operators(east, 'no-group')).toEqual([]);
        await fixture.createNamespace(east, 'no-group', ['late']);
        await context.expect.poll(() => fixture.operators(east, 'no-group'), PATIENCE).toEqual(RUNS);
      });
    });

    it('holds up no other namespace of its cluster', async () => {
      await fixture.createNamespace(set.east, 'bystanding');
      await fixture.subscribe(set.east, 'bystanding', 'lighthouse-operator', GLOBAL_CATALOG);
      await expect.poll(() => fixture.operators(set.east, 'bystanding'), PATIENCE).toEqual(RUNS);
    });
  });
}
