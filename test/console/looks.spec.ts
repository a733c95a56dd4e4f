import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { clusterRow, operatorRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import {
  answerPictured,
  fillPicturedFleet,
  PICTURED_HASH,
  PICTURED_ROLLOUT,
  PICTURED_TRAIL,
} from './pictured-fleet.js';

/** The name of a context that `aws eks update-kubeconfig` writes. */
const eks = (short: string): string => `arn:aws:eks:eu-central-1:111122223333:cluster/prod-${short}`;
const EAST = eks('eu-05');
const OPERATOR = `/clusters/${encodeURIComponent(EAST)}/harbor-operators/subscriptions/harbor-operator`;
const CONTENT = `/catalogs/${'9fa2'.repeat(4)}`;
const HARBOR = `${CONTENT}/packages/harbor-operator`;
const IMAGE = 'registry.example.com/flotilla-samples:latest';
const WIDTHS = [360, 390, 640, 768, 900, 1_024, 1_200, 1_440, 2_560];

/** A page, a text that stands on it when it is complete, and the command at its foot. */
const PAGES: readonly (readonly [path: string, shows: string, command: string])[] = [
  ['/', 'Versions behind', 'flotilla status'],
  ['/clusters', 'reached', 'flotilla clusters list'],
  ['/clusters?view=map', 'A cell counts', 'flotilla clusters list'],
  [`/clusters/${encodeURIComponent(EAST)}`, 'harbor-operator', `flotilla status -C ${EAST}`],
  ['/operators', 'metrics-stack', 'flotilla get subscriptions,extensions'],
  ['/operators?view=packages', 'metrics-stack', 'flotilla get subscriptions,extensions'],
  ['/operators/lamp-operator', '1.9.0', 'flotilla get subscriptions,extensions'],
  [OPERATOR, 'lighthouse-operator', `flotilla explain subscription harbor-operator -n harbor-operators -C ${EAST}`],
  [`${OPERATOR}?view=conflict`, 'no catalog available', 'flotilla explain subscription'],
  ['/approvals', 'lamp-operator', 'flotilla get installplans'],
  [`/approvals/together?class=${PICTURED_HASH}`, 'Common to all', 'flotilla get installplans'],
  [
    `/approvals/${PICTURED_HASH}?section=crds`,
    'stores v2',
    'flotilla approve installplan install-7xk2d -n lamp-operators --all-clusters --dry-run',
  ],
  ['/catalogs', 'olm/community', 'flotilla get catalogs'],
  [CONTENT, 'Lighthouse', `flotilla catalog packages ${IMAGE}`],
  [HARBOR, 'Install modes', `flotilla catalog bundles ${IMAGE} harbor-operator`],
  [`${HARBOR}?view=graph`, 'upgrade path', `flotilla catalog graph ${IMAGE} --package harbor-operator`],
  ['/rollouts', 'etcd', 'flotilla fleet status'],
  [`/rollouts/${encodeURIComponent(PICTURED_ROLLOUT)}`, 'eu-07', `flotilla fleet status ${PICTURED_ROLLOUT}`],
  ['/changes', 'jane@example.com', 'flotilla get subscriptions,extensions --watch'],
  ['/hub', 'applier', 'flotilla health'],
  ['/about', 'OpenAPI document', 'flotilla version'],
];

/** Characters that some systems draw as emoji, or with a font of another size. */
const FALLBACK_GLYPHS = /[✖◼◔↻✔●◌○◇⊘⚠☰◐▴▾▸]/u;

describe('every page', needing(chromiumNeed), () => {
  let browser: Browser;
  let run: RunningConsole;
  let tab: ConsoleTab;
  beforeAll(async () => {
    const asker = { ask: async (question: Parameters<typeof answerPictured>[0]) => answerPictured(question) };
    const trail = { add: async () => undefined, read: async () => PICTURED_TRAIL };
    run = await openPages({ asker, trail });
    fillPicturedFleet(run.view, eks);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterEach(() => expect(tab.troubles).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const widen = (width: number) => tab.page.setViewportSize({ width, height: 900 });
  const tooWide = () => tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');

  it.each(PAGES)('%s fits every width, has icons and its command', async (path, shows, command) => {
    await widen(1_440);
    await tab.goto(path);
    await expect.poll(() => tab.text(), PATIENCE).toContain(shows);
    await expect.poll(() => tab.text('.same-command code'), PATIENCE).toContain(command);
    expect(await tab.text('body')).not.toMatch(FALLBACK_GLYPHS);
    for (const width of WIDTHS) {
      await widen(width);
      await expect.poll(tooWide, { ...PATIENCE, message: `${width} px` }).toBeLessThanOrEqual(0);
    }
  });

  it.each(['/', '/clusters', '/operators'])('%s shows the end of each long name', async (path) => {
    await widen(1_024);
    await tab.goto(path);
    await tab.page.locator('.middle').first().waitFor();
    const ends = `Array.from(document.querySelectorAll('.middle'), (name) => {
      const [start, end] = name.children;
      const isSeen = end.getBoundingClientRect().right <= name.getBoundingClientRect().right + 1;
      return isSeen && start.textContent + end.textContent === name.title && start.scrollWidth > start.clientWidth;
    })`;
    await expect.poll(() => tab.page.evaluate(ends), PATIENCE).toContain(true);
    expect(await tab.page.evaluate(ends)).not.toContain(false);
  });

  it('cuts no version', async () => {
    await widen(1_024);
    await tab.goto('/operators?view=packages');
    await expect.poll(() => tab.text('.grid'), PATIENCE).toContain('1.3.0');
    const cut = `Array.from(document.querySelectorAll('.body-row .cell:nth-child(4) .cut'))
      .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`;
    expect(await tab.page.evaluate(cut)).toEqual([]);
  });

  it('names the zone of its times', async () => {
    await tab.goto('/');
    await expect.poll(() => tab.text('.live-mark'), PATIENCE).toMatch(/as of \d\d:\d\d:\d\d (UTC|GMT|[A-Z]{3,4})/);
    await tab.goto('/changes');
    await expect.poll(() => tab.text('.changes h3'), PATIENCE).toMatch(/2026 (UTC|GMT|[A-Z]{3,4})/);
  });

  it('shows each filter as a chip, which takes it away, and all of them at once', async () => {
    await widen(1_440);
    await tab.goto('/operators?q=lamp&standing=needs-approval&channel=stable');
    const chips = async () =>
      (await tab.text('.active-filters')).replaceAll(/ ?, remove /g, ' ').replaceAll(/\s+/g, ' ');
    await expect.poll(chips, PATIENCE).toBe('Words: lamp Status: needs approval Channel: stable Clear all');
    await tab.page.getByRole('button', { name: /^Status: needs approval/ }).click();
    await expect.poll(() => new URL(tab.page.url()).search, PATIENCE).toBe('?q=lamp&channel=stable');
    await tab.page.goBack();
    await expect.poll(chips, PATIENCE).toContain('Status: needs approval');
    expect(await tab.axe()).toEqual([]);
    await tab.page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => new URL(tab.page.url()).search, PATIENCE).toBe('');
    expect(await tab.page.locator('.active-filters').count()).toBe(0);
  });

  it('signs in with a link that is pasted, and says that other texts are none', async () => {
    await tab.page.evaluate('localStorage.clear()');
    await tab.goto('/clusters');
    await expect.poll(() => tab.text('h1'), PATIENCE).toBe('Sign in');
    await tab.page.getByLabel('Link or key').fill('no link at all');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => tab.text('main'), PATIENCE).toContain('This text is no link of the console.');
    expect(await tab.axe()).toEqual([]);
    await tab.page.getByLabel('Link or key').fill(run.service.link);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => tab.text('h1'), PATIENCE).toBe('Clusters');
  });
});

describe('the page Fleet with many causes', needing(chromiumNeed), () => {
  let browser: Browser;
  let run: RunningConsole;
  beforeAll(async () => {
    run = await openPages();
    const changed = Array.from({ length: 12 }, (_, at) => {
      const name = `mill-${at}`;
      const cause = { code: 'plan-failed', kind: 'InstallPlan', names: [name], text: `The plan of ${name} failed.` };
      return operatorRow('east', name, { standing: 'failed', cause: { ...cause, todo: `Correct ${name}.` } });
    });
    run.view.write({ cluster: 'east', changed: [clusterRow('east', { standing: 'failed' }), ...changed], removed: [] });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  it('shows the first ones, each with what to do, and the others on demand', async () => {
    const tab = await ConsoleTab.open(browser, run.service.link);
    const causes = () => tab.page.locator('table.causes tbody tr').count();
    await expect.poll(causes, PATIENCE).toBe(8);
    await expect
      .poll(() => tab.text('table.causes tbody'), PATIENCE)
      .toMatch(/The plan of mill-\d+ failed\. .*Correct mill/);
    await expect.poll(() => tab.text('table.unwell'), PATIENCE).toContain('east');
    await tab.page.getByRole('button', { name: 'Show 4 more causes' }).click();
    await expect.poll(causes, PATIENCE).toBe(12);
    expect(await tab.axe()).toEqual([]);
    expect(tab.troubles).toEqual([]);
  });
});
