import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import {
  putSampleBundles,
  putSampleCatalog,
  SAMPLE_CATALOG,
} from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import * as fixture from '../story/bad-input-fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';
import { ConsoleTab, chromiumNeed, launchChromium } from './browser.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
const [NEAR, FAR] = ['east', 'west'] as const;
const PACKAGE = 'lighthouse-operator';
const NAMESPACE = 'lights';
const SUBSCRIPTION = 'operators.coreos.com/v1alpha1';

/** The hub's services as they run in production; a test may cut the network of the second cluster. */
describe('a page whose cluster, or whose console, goes away', needing(chromiumNeed), () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let network: TcpProxy;
  let environment: ServicesEnvironment;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-interrupted-'));
    fleet = await startSimulatedFleet({ clusters: [NEAR, FAR], deploymentReadyAfterMs: 100 });
    const kubeconfig = fleet.kubeconfig();
    const server = new RegExp(`https://[^\\s"]+(?=/clusters/${FAR})`).exec(kubeconfig)?.[0] ?? '';
    network = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server).port) });
    const file = join(folder, 'kubeconfig');
    const farther = `https://127.0.0.1:${network.port}/clusters/${FAR}`;
    await writeFile(file, kubeconfig.replaceAll(`${server}/clusters/${FAR}`, farther), { mode: 0o600 });
    environment = await startQuickEnvironment({ kubeconfigs: [file], withConsole: true });
    await putSampleBundles(EXAMPLES, environment.registry.put);
    await putSampleCatalog(EXAMPLES, 'v2', environment.registry);
    await Promise.all(environment.clients.map(fill));
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, environment.console?.link ?? '', { ownTime: true });
  });
  afterEach(async () => expect(await tab.axe()).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    network?.resume();
    await environment?.stop();
    await network?.stop();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function fill(client: KubeClient): Promise<void> {
    await serveCrds(client);
    await fixture.createNamespace(client, NAMESPACE);
    await fixture.createCatalog(client, NAMESPACE, { image: `${environment.registry.host}/${SAMPLE_CATALOG}` });
    await fixture.subscribe(client, NAMESPACE, PACKAGE, undefined, { installPlanApproval: 'Manual' });
  }
  const clusterOf = (name: string) => environment.clients.find(({ cluster }) => cluster === name);
  const text = (at?: string) => tab.text(at);
  const shows = (part: string | RegExp, at?: string) => expect.poll(() => text(at), PATIENCE).toMatch(part);
  async function approvedPlans(cluster: string): Promise<readonly boolean[]> {
    const kind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: NAMESPACE };
    const plans = (await clusterOf(cluster)?.list<InstallPlan>(kind))?.items ?? [];
    return plans.map(({ spec }) => spec.approved);
  }

  it('7: a cluster that goes away before the click is named as not approved, and the other one is approved', async () => {
    await tab.goto('/approvals');
    await shows(new RegExp(`${PACKAGE}.* 2 `));
    await tab.page
      .getByRole('link', { name: new RegExp(PACKAGE) })
      .first()
      .click();
    await tab.page.getByRole('button', { name: 'Approve in 2 clusters…' }).click();
    network.refuse();
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await shows('Approved in 1 of 2 clusters');
    await shows(new RegExp(`unreachable, not done ${FAR}`), '.results');
    expect(await text('.results')).not.toContain('under way');
    expect(await approvedPlans(NEAR)).toContain(true);
    network.resume();
    // Nothing was left behind that would approve it now.
    await tab.goto('/clusters');
    await expect.poll(() => tab.text(), PATIENCE).not.toContain('away');
    expect(await approvedPlans(FAR)).toEqual([false]);
    await tab.goto('/approvals');
    await shows(new RegExp(`${PACKAGE}.* 1 `));
    expect(tab.troubles).toEqual([]);
  });

  it('14: a page of a console that is killed comes back by itself, with each row once and none lost', async () => {
    await tab.goto('/operators');
    await shows('2 operators', '.filters');
    await shows(/^live/, '.live-mark');
    await tab.page.evaluate('window.isSame = true');
    await environment.console?.service.stop('SIGKILL');
    await shows('not live', '.live-mark');
    await shows(
      /^The hub has not answered since \d\d:\d\d \w+\. What is shown is \d+ s old\. Next try in/,
      '.hub-away p',
    );
    expect(await text('.filters')).toContain('2 operators');
    // No console reports what happens now.
    const near = clusterOf(NEAR);
    if (near === undefined) throw new Error(`no cluster ${NEAR}`);
    await fixture.createNamespace(near, 'later');
    await fixture.createCatalog(near, 'later', { image: `${environment.registry.host}/${SAMPLE_CATALOG}` });
    await fixture.subscribe(near, 'later', PACKAGE, undefined, { installPlanApproval: 'Manual' });
    await near.delete({ apiVersion: SUBSCRIPTION, kind: 'Subscription', namespace: NAMESPACE, name: PACKAGE });
    environment.console?.service.start();
    await shows(/^live/, '.live-mark');
    expect(await tab.page.locator('.hub-away').count()).toBe(0);
    const inRow = new RegExp(`\\b(${NEAR}|${FAR})\\s+(\\w+)`);
    const rows = async () => {
      await text();
      return (await tab.page.locator('.body-row').allInnerTexts()).map((row) => inRow.exec(row)?.slice(1));
    };
    const wanted = [
      [NEAR, 'later'],
      [FAR, NAMESPACE],
    ];
    await expect.poll(rows, PATIENCE).toEqual(wanted);
    await shows('2 operators', '.filters');
    expect(await tab.page.evaluate('window.isSame'), 'not loaded anew').toBe(true);
    // A console that starts says 503 until it has read the fleet.
    const ownLines = /^Failed to load resource: (net::ERR_|the server responded with a status of 503)/;
    expect(tab.troubles.filter((line) => !ownLines.test(line))).toEqual([]);
  });
});
