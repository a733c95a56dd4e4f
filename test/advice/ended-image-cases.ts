import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { assembleImage } from '#platform/registry/image-builder';
import { layerOfDeepNames } from '#testing/hostile/layer-of-deep-names';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceCase, until } from './advice-bench.js';

/** Advice of `explain` about catalogs with images that used all memory of their reader thread. */
export const ENDED_IMAGE_CASES = {
  'image-ended': {
    alone: true,
    carries: ['retryCatalog'],
    play: async (bench, namespace) => {
      const { client, registry } = bench;
      const hostile = await layerOfDeepNames();
      const pulls = () => registry.log.filter((line) => line.includes(`/blobs/${hostile.layer.digest}`)).length;
      registry.put('advice/deep:1', assembleImage([hostile], { [CATALOG_LABEL]: '/configs' }));
      const image = `${registry.host}/advice/deep:1`;
      await fixture.createNamespace(client, namespace);
      await bench.withOtherSettings(async (restart) => {
        await restart({ FLOTILLA_IMAGE_MAX_FILES: '100000' });
        await fixture.createCatalog(client, namespace, { image });
        const source = [namespace, 'catalogsource', 'shelf'] as const;
        await bench.done(await bench.advised(source, 'retryCatalog', 'shelf', namespace));
        await until(pulls, 2);
        await client.patch(
          { ...CATALOG_SOURCE_API, name: 'shelf', namespace },
          { spec: { image: await bench.catalog(namespace, [{ version: '1.0.0', objects: [] }]) } },
        );
        await until(() => fixture.catalogStatus(client, namespace), 'READY');
        await client.create({
          ...{ ...CLUSTER_CATALOG_API, metadata: { name: namespace } },
          spec: { source: { type: 'Image', image: { ref: image } } },
        });
        await bench.done(await bench.advised([namespace, 'clustercatalog', namespace], 'retryCatalog', namespace));
        await until(pulls, 3);
        await client.delete({ ...CLUSTER_CATALOG_API, name: namespace });
      });
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
