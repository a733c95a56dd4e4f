import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type ClientCertificate, clientCertificate } from '#testing/control-plane/client-certificate';
import { PATIENCE, promised } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import {
  atVersion,
  chainCatalogText,
  csvs,
  hasOlmKinds,
  subscribe,
  VERSIONS,
} from '../integration/ownership-support/chain-fleet.js';
import { keptLogins, startQuickEnvironment } from '../story/quick-environment.js';

const MINUTE_MS = 60_000;
const EXPIRED = new Date(Date.now() - MINUTE_MS);
/** From a kubeconfig that has changed until its credentials are used. */
const TAKEN_UP_MS = 30_000;

let folder: string;
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let environment: ServicesEnvironment;

type Kubeconfig = { users: { name: string; user: object }[] };

/** `pilot` logs in with the certificate, `east` with a token. */
async function writeKubeconfig({ certPem, keyPem, caPem }: ClientCertificate): Promise<void> {
  fleet.trustClients(caPem);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const config = load(fleet.kubeconfig()) as Kubeconfig;
  for (const one of config.users)
    if (one.name === 'pilot')
      one.user = { 'client-certificate-data': base64(certPem), 'client-key-data': base64(keyPem) };
  await writeFile(join(folder, 'next'), stringify(config), { mode: 0o600 });
  await rename(join(folder, 'next'), join(folder, 'kubeconfig'));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-certificate-'));
  [fleet, catalogs] = await Promise.all([
    startSimulatedFleet({ clusters: ['east', 'pilot'] }),
    chainCatalogText(VERSIONS).then(async (text) => {
      const catalog = await loadCatalog([{ path: 'catalog.json', bytes: Buffer.from(text) }]);
      return serveCatalog(catalog, { port: 0 });
    }),
  ]);
  await writeKubeconfig(await clientCertificate('pilot', EXPIRED));
  environment = await startQuickEnvironment({
    kubeconfigs: [join(folder, 'kubeconfig')],
    applierLogins: keptLogins,
  });
});
afterAll(async () => {
  await environment?.stop();
  await catalogs?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function answerOf(service: string, path: string): Promise<string> {
  const url = await environment.services.find((one) => one.service === service)?.url();
  return fetch(`${url}${path}`).then(
    (answer) => answer.text(),
    () => '',
  );
}

describe('a cluster whose client certificate in the kubeconfig has expired', () => {
  const reason = new RegExp(
    `pilot \\([^)]*Unauthorized \\(the client certificate in its kubeconfig expired at ${EXPIRED.toISOString().slice(0, 19)}` +
      '\\.000Z\\); its login in the kubeconfig is not accepted or has expired: renew it',
  );

  it('is named in one line by health and metrics, with the reason and what to do', async () => {
    for (const service of ['catalog-poller', 'applier'])
      await expect.poll(() => answerOf(service, '/healthz'), PATIENCE).toMatch(reason);
    await expect
      .poll(() => answerOf('catalog-poller', '/metrics'), PATIENCE)
      .toMatch(/^flotilla_cluster_reachable\{cluster="pilot",check="watches"\} 0$/m);
  });

  it('holds up no other', async () => {
    await expect.poll(() => hasOlmKinds(fleet, 'east'), PATIENCE).toBe(true);
    subscribe(fleet, 'east', { address: `127.0.0.1:${catalogs.port}` });
    await expect.poll(() => csvs(fleet, 'east'), PATIENCE).toEqual(atVersion('v1.2.0'));
    await expect
      .poll(() => answerOf('catalog-poller', '/metrics'), PATIENCE)
      .toMatch(/^flotilla_cluster_reachable\{cluster="east",check="watches"\} 1$/m);
  });

  it(`is worked on ${TAKEN_UP_MS / 1_000} s after the kubeconfig has a new certificate, without a restart`, async () => {
    await writeKubeconfig(await clientCertificate('pilot'));
    const asked = () => fleet.cluster('pilot').openWatches();
    await expect.poll(asked, promised(TAKEN_UP_MS)).toBeGreaterThan(0);
    await expect.poll(() => hasOlmKinds(fleet, 'pilot'), PATIENCE).toBe(true);
    subscribe(fleet, 'pilot', { address: `127.0.0.1:${catalogs.port}` });
    await expect.poll(() => csvs(fleet, 'pilot'), PATIENCE).toEqual(atVersion('v1.2.0'));
    await expect
      .poll(() => answerOf('catalog-poller', '/metrics'), PATIENCE)
      .toMatch(/^flotilla_cluster_reachable\{cluster="pilot",check="watches"\} 1$/m);
  });
});
