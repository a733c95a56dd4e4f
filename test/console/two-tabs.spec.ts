import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
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
const CLUSTERS = ['east', 'west'];
const PACKAGE = 'lighthouse-operator';
const NAMESPACE = 'lights';

/** The hub's services as they run in production, and two tabs with one and the same plan. */
describe('a review that is open in two tabs', needing(chromiumNeed), () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let environment: ServicesEnvironment;
  let browser: Browser;
  let [first, second]: ConsoleTab[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-two-tabs-'));
    fleet = await startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 });
    const file = join(folder, 'kubeconfig');
    await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
    environment = await startQuickEnvironment({ kubeconfigs: [file], withConsole: true });
    await putSampleBundles(EXAMPLES, environment.registry.put);
    await putSampleCatalog(EXAMPLES, 'v2', environment.registry);
    for (const client of environment.clients) {
      await serveCrds(client);
      await fixture.createNamespace(client, NAMESPACE);
      await fixture.createCatalog(client, NAMESPACE, { image: `${environment.registry.host}/${SAMPLE_CATALOG}` });
      await fixture.subscribe(client, NAMESPACE, PACKAGE, undefined, { installPlanApproval: 'Manual' });
    }
    browser = await launchChromium();
    const link = environment.console?.link ?? '';
    [first, second] = [await ConsoleTab.open(browser, link), await ConsoleTab.open(browser, link)];
  });
  afterAll(async () => {
    await browser?.close();
    await environment?.stop();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const shows = (tab: ConsoleTab, part: string | RegExp, at?: string) =>
    expect.poll(() => tab.text(at), PATIENCE).toMatch(part);
  async function plans(): Promise<readonly InstallPlan[]> {
    const kind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: NAMESPACE };
    const lists = await Promise.all(environment.clients.map((client) => client.list<InstallPlan>(kind)));
    return lists.flatMap((list) => list?.items ?? []);
  }
  const comments = async () =>
    (await plans()).map(({ metadata }) => metadata.annotations?.['flotilla.dev/approval-comment']);
  const button = ({ page }: ConsoleTab, name: string) => page.getByRole('button', { name, exact: true });
  async function review(tab: ConsoleTab): Promise<void> {
    await tab.goto('/approvals');
    await shows(tab, new RegExp(`${PACKAGE}.* 2 `));
    await tab.page
      .getByRole('link', { name: new RegExp(PACKAGE) })
      .first()
      .click();
    await button(tab, 'Approve in 2 clusters…').waitFor();
  }

  /** In how many clusters the approval of a tab counts; in the others it says who came first. */
  async function approvedBy(tab: ConsoleTab, comment: string): Promise<number> {
    await expect.poll(() => tab.text('.results'), PATIENCE).not.toContain('under way');
    const said = await tab.text('.results');
    const done = Number(/^Approved in (\d) of 2 clusters/.exec(said)?.[1]);
    const left = CLUSTERS.length - done;
    if (left > 0) expect(said).toContain(`; in ${left} the reviewed plan was no longer waiting`);
    // The plan was approved before the applier read it, or between that and its write.
    const why = /the InstallPlan is approved already, by local|it changed in the same moment; nothing was written/
      .source;
    const already = new RegExp(`changed meanwhile, not done \\w+ lights (?:${why})`, 'g');
    expect(said.match(already) ?? [], said).toHaveLength(left);
    expect((await comments()).filter((one) => one === comment)).toHaveLength(done);
    return done;
  }

  it('keeps its comment and its ticks when it is loaded anew, and approves nothing by that', async () => {
    if (first === undefined) throw new Error('no tab');
    await review(first);
    await first.page.getByPlaceholder('Comment, e.g. change number').fill('CHG-1');
    await first.page.getByRole('checkbox', { name: /^west/ }).uncheck();
    await button(first, 'Approve in 1 cluster…').click();
    await button(first, 'Approve').waitFor();
    await first.page.reload();
    await button(first, 'Approve in 1 cluster…').waitFor();
    expect(await first.page.getByPlaceholder('Comment, e.g. change number').inputValue()).toBe('CHG-1');
    expect(await button(first, 'Approve').count()).toBe(0);
    expect((await plans()).map(({ spec }) => spec.approved)).toEqual([false, false]);
    await first.page.goBack();
    await shows(first, 'Approvals', 'h1');
    await first.page.goForward();
    await button(first, 'Approve in 1 cluster…').waitFor();
    await first.page.getByRole('checkbox', { name: /^west/ }).check();
  });

  it('is approved once where both click, and the later one says what became of it', async () => {
    if (first === undefined || second === undefined) throw new Error('no tabs');
    await review(second);
    await second.page.getByPlaceholder('Comment, e.g. change number').fill('CHG-2');
    for (const tab of [first, second]) await button(tab, 'Approve in 2 clusters…').click();
    await Promise.all([first, second].map((tab) => button(tab, 'Approve').click()));
    for (const tab of [first, second]) await shows(tab, /Approved in \d of 2 clusters/);
    const [own, others] = [await approvedBy(first, 'CHG-1'), await approvedBy(second, 'CHG-2')];
    expect(own + others).toBe(CLUSTERS.length);
    expect((await plans()).map(({ spec }) => spec.approved)).toEqual([true, true]);
    for (const tab of [first, second]) {
      expect(await tab.axe()).toEqual([]);
      await tab.page.reload();
      await shows(tab, 'No plan of this class is waiting.');
      await shows(tab, 'local', 'section[aria-label="Previous approvals"]');
    }
    expect([...first.troubles, ...second.troubles]).toEqual([]);
  });
});
