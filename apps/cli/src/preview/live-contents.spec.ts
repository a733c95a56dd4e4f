import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { readSettings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type FakeHub, READY_HUB, startFakeHub } from '../hub/fake-hub.fixture.js';
import { openLiveContents } from './live-contents.js';

const TOKEN = 'token-of-the-command-0123';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const MOVED = { status: 302, headers: { location: '/elsewhere' }, body: {} };

describe('the token of the command', () => {
  let folder: string;
  let hub: FakeHub;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'live-contents-'));
    await writeFile(join(folder, 'token'), TOKEN);
    hub = await startFakeHub({ ...READY_HUB, [`/content/${DIGEST}`]: MOVED });
  });
  afterEach(async () => {
    await hub.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /**
   * Asks for the catalog of a source whose status, which the cluster writes, names the
   * fake hub as its address.
   */
  const readCatalog = async (named?: string) => {
    const settings = readSettings({
      FLOTILLA_CONTENT_DIR: folder,
      FLOTILLA_HUB_TOKEN_FILE: join(folder, 'token'),
      FLOTILLA_REGISTRY_ATTEMPTS: '1',
    });
    const contents = await openLiveContents(settings, named);
    const source = {
      ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' },
      metadata: { name: 'shop', namespace: 'olm' },
      spec: { sourceType: 'grpc', image: '127.0.0.1:1/shop:1' },
      status: { connectionState: { address: `${hub.url}/content/${DIGEST}` } },
    } as unknown as CatalogSource;
    await contents.catalogOf({ cluster: 'east', get: async () => undefined } as unknown as KubeClient, source);
    return hub.authorizations;
  };

  it('is not sent to an address that a cluster names', async () => {
    expect(await readCatalog()).toEqual([undefined]);
  });

  it('is sent to a hub that the user names, and to no place that this one redirects to', async () => {
    expect((await readCatalog(hub.url)).filter((one) => one !== undefined)).toEqual([`Bearer ${TOKEN}`]);
  });
});
