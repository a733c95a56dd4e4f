import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import {
  API,
  type BrokenFleet,
  NO_API,
  NO_IMAGE,
  PLAN_FAILED,
  REFUSED,
  startBrokenFleet,
  TOO_BIG,
} from './broken-fleet.js';
import { ConsoleTab, chromiumNeed, launchChromium } from './browser.js';

const kubectlNeed = await programs({ program: 'kubectl' });

describe('a newcomer with the link, in a fleet with four broken things', needing(chromiumNeed), () => {
  let fleet: BrokenFleet;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    fleet = await startBrokenFleet();
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, fleet.link);
  });
  afterAll(async () => {
    await browser?.close();
    await fleet?.stop();
  });

  const text = async (at = 'main') => (await tab.page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');
  const causes = async () => (await tab.page.locator('table.causes tbody tr').allInnerTexts()).length;
  /** To the page Fleet, and on by these links, one click each. */
  async function follow(...links: readonly (RegExp | string)[]): Promise<void> {
    await tab.page.getByRole('link', { name: 'Fleet', exact: true }).click();
    await expect.poll(() => text('h1'), PATIENCE).toBe('Fleet');
    for (const name of links) {
      const page = await text('h1');
      await tab.page.locator('main').getByRole('link', { name }).first().click();
      await expect.poll(() => text('h1'), PATIENCE).not.toBe(page);
    }
  }

  it('sees all four on the first page, each with its cluster', async () => {
    const told = [
      ...[`extras:v1.* in ${NO_IMAGE}`, `certificate .*${REFUSED}`, `${API}.* harbor in ${NO_API}`],
      `InstallPlan failed.*"bolt/big".* in ${PLAN_FAILED}`,
    ];
    for (const cause of told) await expect.poll(() => text('table.causes'), PATIENCE).toMatch(new RegExp(cause));
    await expect.poll(causes, PATIENCE).toBe(4);
    // Another answer than that of the causes, so it may come later.
    for (const cluster of [NO_IMAGE, REFUSED, NO_API, PLAN_FAILED])
      await expect.poll(() => text('table.unwell'), PATIENCE).toContain(cluster);
    expect(await tab.axe()).toEqual([]);
  });

  it('reads why a cluster is refused, and what to do, after one click', async () => {
    await follow(/certificate/);
    await expect.poll(() => text('h1'), PATIENCE).toBe(REFUSED);
    await expect
      .poll(() => text(), PATIENCE)
      .toContain('its certificate is not signed by the authority that the kubeconfig names');
    const shown = await text();
    for (const part of [
      'What to do',
      `flotilla clusters check --kubeconfig ${fleet.kubeconfig} --context ${REFUSED}`,
      'never',
      'Its operators are unknown',
    ])
      expect(shown).toContain(part);
    expect(shown).not.toContain('is healthy');
    expect(await tab.axe()).toEqual([]);
  });

  it('reads which API is missing, and what to do, after two clicks', async () => {
    await follow(new RegExp(API), 'harbor');
    await expect
      .poll(() => text(), PATIENCE)
      .toContain(`Install the operator that provides the API ${API}, or create its CustomResourceDefinition.`);
    await expect.poll(() => text('.why'), PATIENCE).toContain(API);
    expect(await tab.axe()).toEqual([]);
  });

  it(
    'reads why a catalog blocks an operator, and mends it with what the page prints',
    needing(kubectlNeed),
    async () => {
      await follow(/CatalogSource/, 'lantern');
      await expect.poll(() => text(), PATIENCE).toContain('What to do');
      await expect.poll(() => text('.why'), PATIENCE).toContain('has no such image: check name and tag');
      const commands = await tab.page.locator('.advice pre').allInnerTexts();
      const [command = ''] = commands.filter((one) => one.startsWith('kubectl'));
      const env = { ...process.env, KUBECONFIG: fleet.kubeconfig };
      await promisify(execFile)('bash', ['-c', command], { env, timeout: PATIENCE_MS });
      await expect.poll(() => text('.why'), PATIENCE).toContain('It is up to date with what it asks for.');
      await follow();
      await expect.poll(causes, PATIENCE).toBe(3);
      await expect.poll(() => text(), PATIENCE).not.toContain(`in ${NO_IMAGE}`);
      expect(tab.troubles).toEqual([]);
    },
  );

  it(
    'reads why a plan failed, corrects what it names, and has it made anew by the button there',
    needing(kubectlNeed),
    async () => {
      await follow(/InstallPlan failed/, 'bolt');
      await expect.poll(() => text(), PATIENCE).toContain('What to do');
      const { resource, namespace, name } = TOO_BIG;
      const why = new RegExp(`${namespace}/${name}.* should be less than or equal to 5`);
      await expect.poll(() => text('.chain'), PATIENCE).toContain('Plan : stops here');
      await expect.poll(() => text('.why'), PATIENCE).toMatch(why);
      await expect
        .poll(() => text('.advice'), PATIENCE)
        .toMatch(/Correct the cause.*flotilla retry installplan \S+ -n bolt --kubeconfig \S+ --context sofia/);
      expect(await tab.axe()).toEqual([]);
      const patch = ['patch', resource, name, '--type', 'merge', '-p', '{"spec":{"size":3}}'];
      const env = { ...process.env, KUBECONFIG: fleet.kubeconfig };
      const words = ['--context', PLAN_FAILED, '-n', namespace, ...patch];
      await promisify(execFile)('kubectl', words, { env, timeout: PATIENCE_MS });
      await tab.page.getByRole('button', { name: 'Retry plan' }).click();
      await expect.poll(() => text('.why'), PATIENCE).toContain('It is up to date with what it asks for.');
      await follow();
      await expect.poll(causes, PATIENCE).toBe(2);
      await expect.poll(() => text(), PATIENCE).not.toContain(`in ${PLAN_FAILED}`);
      expect(tab.troubles).toEqual([]);
    },
  );
});
