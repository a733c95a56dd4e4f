import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { fillFleet, HASH, REVIEWED } from './fleet-rows.js';

const asker: QuestionAsker = {
  ask: async ({ ask }) => (ask === 'review' ? { answer: REVIEWED } : { because: 'gone', message: 'it is not there' }),
};
/** A page with its filter, and a link on it. */
const STEPS = [
  ['/', 'table.causes tbody a'],
  ['/', 'table.unwell tbody a'],
  ['/approvals', '.body-row a'],
  ['/clusters?view=map', '.cluster-map tbody td a'],
  ['/operators/lamp?span=7d', '.trend a'],
  ['/catalogs', 'tbody a'],
  ['/clusters?standing=failed', '.body-row a'],
  ['/operators?standing=failed&sort=-cluster', '.body-row a'],
  ['/operators?view=packages', 'tbody a, .body-row a'],
  ['/operators/lamp', 'main a'],
  ['/clusters/eu-01?view=catalogs', '.findings a'],
  ['/clusters/eu-01/harbors/subscriptions/harbor?view=object', 'nav.tabs a[href*="events"]'],
  [`/approvals/${HASH}?section=permissions`, 'nav.tabs a[href*="crds"]'],
  ['/rollouts', 'main a'],
  ['/changes?by=jane@example.com', 'main a'],
] as const;

describe('back and forward', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages({ asker });
    fillFleet(run.view);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });
  const address = () => {
    const { pathname, search } = new URL(tab.page.url());
    return `${pathname}${search}`;
  };

  it.each(STEPS)('lead from %s and its link %s to where they came from, in one step each', async (path, link) => {
    await tab.goto(path);
    const here = address();
    const found = tab.page.locator(link).filter({ visible: true }).first();
    await found.waitFor();
    await tab.settled();
    const heading = await tab.text('h1');
    const length = Number(await tab.page.evaluate('history.length'));
    await found.click();
    await expect.poll(address, PATIENCE).not.toBe(here);
    await tab.settled();
    const [there, itsHeading] = [address(), await tab.text('h1')];
    expect(await tab.page.evaluate('history.length'), 'steps').toBe(length + 1);
    await tab.page.goBack();
    await expect.poll(address, PATIENCE).toBe(here);
    await expect.poll(() => tab.text('h1'), PATIENCE).toBe(heading);
    await tab.page.goForward();
    await expect.poll(address, PATIENCE).toBe(there);
    await expect.poll(() => tab.text('h1'), PATIENCE).toBe(itsHeading);
    expect(tab.troubles).toEqual([]);
  });
});
