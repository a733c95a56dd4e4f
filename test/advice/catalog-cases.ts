import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { IMAGE_TEMPLATE_ANNOTATION } from '#core/classic/catalog-source/image-template';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { freePorts } from '#testing/control-plane/free-ports';
import { startRegistry } from '#testing/registry/in-memory-registry';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceBench, type AdviceCase, until } from './advice-bench.js';
import { POLLER_USER } from './hub-accounts.js';

const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name: 'shelf' } as const;
const V1 = [{ version: '1.0.0', objects: [] }];

const ready = ({ client }: AdviceBench, namespace: string) =>
  until(() => fixture.catalogStatus(client, namespace), 'READY');
const shelf = (namespace: string) => [namespace, 'catalogsource', 'shelf'] as const;

/** Advice of `explain` about CatalogSources. */
export const CATALOG_CASES = {
  'no-such-image': {
    carries: ['validateCatalogImage'],
    play: async (bench, namespace) => {
      const image = `${bench.registry.host}/advice/missing:1`;
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createCatalog(bench.client, namespace, { image });
      const line = await bench.advised(shelf(namespace), 'validateCatalogImage', image);
      expect(await bench.follow(line)).toMatchObject({
        exit: 3,
        out: expect.stringMatching(/no such image|not found/),
      });
      await bench.client.patch({ ...SOURCE, namespace }, { spec: { image: await bench.catalog(namespace, V1) } });
      await ready(bench, namespace);
    },
  },
  'registry-away': {
    carries: ['reachRegistry'],
    play: async (bench, namespace) => {
      const [port = 0] = await freePorts(1);
      const host = `127.0.0.1:${port}`;
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createCatalog(bench.client, namespace, { image: `${host}/away/catalog:1` });
      await bench.advised(shelf(namespace), 'reachRegistry', host);
      const registry = await startRegistry({ port });
      try {
        registry.put(
          'away/catalog:1',
          await fixture.catalogImage({ 'a.yaml': fixture.packageYaml(namespace, 'x/y:1') }),
        );
        await ready(bench, namespace);
      } finally {
        await registry.stop();
      }
    },
  },
  'broken-neighbour': {
    carries: ['deleteCatalogSource'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      const image = `${bench.registry.host}/advice/missing:1`;
      for (const name of ['bad', 'worse']) await fixture.createCatalog(bench.client, namespace, { image }, name);
      await bench.publish(namespace, namespace, V1);
      await fixture.subscribe(bench.client, namespace, namespace);
      const about = [namespace, 'subscription', namespace] as const;
      const lines = [
        await bench.advised(about, 'deleteCatalogSource', namespace, 'bad'),
        await bench.advised(about, 'deleteCatalogSource', namespace, 'worse'),
      ];
      for (const line of lines) await bench.done(line);
      await bench.runs(namespace, `${namespace}.v1.0.0 Succeeded`);
    },
  },
  'pull-secret-missing': {
    carries: ['allowPullSecrets', 'createPullSecret', 'namePullSecret'],
    play: async (bench, namespace) => {
      const guarded = await startRegistry();
      try {
        guarded.requireAuth({ username: 'me', password: 'right' });
        guarded.put(
          'private/catalog:1',
          await fixture.catalogImage({ 'a.yaml': fixture.packageYaml(namespace, 'x/y:1') }),
        );
        await fixture.createNamespace(bench.client, namespace);
        const image = `${guarded.host}/private/catalog:1`;
        await fixture.createCatalog(bench.client, namespace, { image, secrets: ['regcred'] });
        await bench.done(await bench.advised(shelf(namespace), 'allowPullSecrets', namespace, POLLER_USER));
        const create = await bench.advised(shelf(namespace), 'createPullSecret', namespace, 'regcred');
        await bench.done(create, { HOST: guarded.host, USER: 'me', PASSWORD: 'wrong' });
        await bench.advised(shelf(namespace), 'namePullSecret');
        await bench.client.delete({ apiVersion: 'v1', kind: 'Secret', name: 'regcred', namespace });
        await bench.done(create, { HOST: guarded.host, USER: 'me', PASSWORD: 'right' });
        await ready(bench, namespace);
      } finally {
        await guarded.stop();
      }
    },
  },
  'registry-server-away': {
    carries: ['startRegistryServer'],
    play: async (bench, namespace) => {
      const [port = 0] = await freePorts(1);
      const address = `127.0.0.1:${port}`;
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createCatalog(bench.client, namespace, { address });
      await bench.advised(shelf(namespace), 'startRegistryServer', address);
      const image = await bench.catalog(namespace, V1);
      const flotilla = join(PROJECT_ROOT, 'bin', 'flotilla');
      const server = spawn(flotilla, ['catalog', 'serve', image, '--grpc', '--port', String(port)]);
      try {
        await ready(bench, namespace);
      } finally {
        server.kill();
      }
    },
  },
  'config-map-wrong': {
    carries: ['allowConfigMaps', 'correctConfigMap'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'content', namespace } };
      await bench.client.create({ ...map, data: { packages: '[]' } });
      await fixture.createCatalog(bench.client, namespace, { sourceType: 'configmap', configMap: 'content' });
      await bench.done(await bench.advised(shelf(namespace), 'allowConfigMaps', namespace, POLLER_USER));
      await bench.advised(shelf(namespace), 'correctConfigMap', namespace, 'content');
      const data = { packages: '[]', customResourceDefinitions: '[]', clusterServiceVersions: '[]' };
      await bench.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'content', namespace }, { data });
      await ready(bench, namespace);
    },
  },
  'no-image': {
    carries: ['correctCatalogSpec'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createCatalog(bench.client, namespace, {});
      await bench.advised(shelf(namespace), 'correctCatalogSpec');
      await bench.client.patch({ ...SOURCE, namespace }, { spec: { image: await bench.catalog(namespace, V1) } });
      await ready(bench, namespace);
    },
  },
  'image-template-wrong': {
    carries: ['correctImageTemplate'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createCatalog(bench.client, namespace, {});
      const annotations = { [IMAGE_TEMPLATE_ANNOTATION]: `${bench.registry.host}/advice/catalog:{unknown}` };
      await bench.client.patch({ ...SOURCE, namespace }, { metadata: { annotations } });
      await bench.advised(shelf(namespace), 'correctImageTemplate', IMAGE_TEMPLATE_ANNOTATION);
      await bench.client.patch({ ...SOURCE, namespace }, { spec: { image: await bench.catalog(namespace, V1) } });
      await ready(bench, namespace);
    },
  },
  'no-catalog': {
    carries: ['createCatalogSource'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.advised([namespace, 'subscription', namespace], 'createCatalogSource', `${namespace}/shelf`);
      await bench.publish(namespace, namespace, V1);
      await bench.runs(namespace, `${namespace}.v1.0.0 Succeeded`);
    },
  },
  'no-bundle': {
    carries: ['validateBundleImage'],
    play: async (bench, namespace) => {
      const bundle = `${bench.registry.host}/advice/missing-bundle:1`;
      const yaml = fixture.packageYaml(namespace, bundle);
      bench.registry.put(`advice/${namespace}:1`, await fixture.catalogImage({ 'a.yaml': yaml }));
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createCatalog(bench.client, namespace, { image: `${bench.registry.host}/advice/${namespace}:1` });
      await fixture.subscribe(bench.client, namespace, namespace);
      const line = await bench.advised([namespace, 'subscription', namespace], 'validateBundleImage', bundle);
      const seen = await bench.follow(line);
      expect(seen.exit).not.toBe(0);
      expect(seen.out).toMatch(/no such image|not found|404/);
      await bench.publish(namespace, namespace, V1);
      await bench.runs(namespace, `${namespace}.v1.0.0 Succeeded`);
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
