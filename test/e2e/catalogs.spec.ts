import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { type ImageRegistry, startImageRegistry } from '#testing/registry/image-registry';
import { type RecordedEnvironment, startRecordedEnvironment } from '../recorded/recorded-environment.js';
import { catalogStatus, createCatalog, createNamespace, operators, subscribe } from '../story/bad-input-fixture.js';
import { EXAMPLES } from '../story/play-story.js';

const run = promisify(execFile);
const FLOTILLA = join(EXAMPLES, '../bin/flotilla');
const OPERATOR = 'lighthouse-operator';

describe('a catalog pushed with the flotilla command into a registry', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let registry: ImageRegistry;
  let environment: RecordedEnvironment;
  let cluster: KubeClient;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-catalogs-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    registry = await startImageRegistry();
    endings.push(() => registry.stop());
    console.log(`images in ${registry.how}`);
    for (const version of ['v1.0.0', 'v1.1.0', 'v1.2.0']) {
      const image = `${registry.host}/flotilla-samples/${OPERATOR}-bundle:${version}`;
      await run(FLOTILLA, ['bundle', 'push', join(EXAMPLES, 'bundles', OPERATOR, version), image]);
    }
    environment = await startRecordedEnvironment({ backend: 'real', clusters: 1 });
    endings.push(() => environment.stop());
    const [first] = environment.clusters;
    if (first === undefined) throw new Error('an environment without clusters');
    cluster = first.client;
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  /** The sample catalog of that edition, its bundles in our registry, pushed under the one tag. */
  async function push(edition: string): Promise<string> {
    const directory = join(folder, edition);
    await cp(join(EXAMPLES, 'catalogs', edition, OPERATOR), directory, { recursive: true });
    const file = join(directory, 'catalog.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('registry.example/', `${registry.host}/`));
    const image = `${registry.host}/flotilla-samples/catalog:latest`;
    await run(FLOTILLA, ['catalog', 'push', directory, image]);
    return image;
  }

  it('is pulled by the poller and installed from; a newer push under its tag is noticed and upgrades', async () => {
    const image = await push('v1');
    await createNamespace(cluster, 'lights');
    await createCatalog(cluster, 'lights', { image, updateStrategy: { registryPoll: { interval: '1s' } } });
    await subscribe(cluster, 'lights', OPERATOR);
    await expect.poll(() => catalogStatus(cluster, 'lights'), PATIENCE).toBe('READY');
    await expect.poll(() => operators(cluster, 'lights'), PATIENCE).toEqual([`${OPERATOR}.v1.0.0 Succeeded`]);
    await push('v2');
    await expect.poll(() => operators(cluster, 'lights'), PATIENCE).toEqual([`${OPERATOR}.v1.2.0 Succeeded`]);
  });
});
