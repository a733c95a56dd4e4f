import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { fillFleet } from './fleet-rows.js';

/** People who know the keys do not wait for what the page draws between them. */
describe('keys that are pressed one right after the other', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages();
    fillFleet(run.view);
    browser = await launchChromium();
  });
  afterEach(async () => {
    const { troubles } = tab;
    await tab.close();
    expect(troubles, 'errors, CSP reports and requests elsewhere').toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const heading = () => tab.page.locator('main h1').first().innerText();
  async function search(words: string): Promise<void> {
    await tab.page.keyboard.press('/');
    await tab.page.keyboard.type(words);
  }

  it('Enter in the search opens what the words find, not what was found for the words before', async () => {
    tab = await ConsoleTab.open(browser, run.service.link);
    await search('eu-0');
    await tab.page.locator('#found-0').waitFor();
    await tab.page.keyboard.type('2');
    await tab.page.keyboard.press('Enter');
    await expect.poll(heading, PATIENCE).toBe('eu-02');
  });

  it('Enter before anything is found opens it once it is', async () => {
    tab = await ConsoleTab.open(browser, run.service.link);
    await search('eu-02');
    await tab.page.keyboard.press('Enter');
    await expect.poll(heading, PATIENCE).toBe('eu-02');
  });

  it('a search that is left and begun again at once keeps what is typed', async () => {
    tab = await ConsoleTab.open(browser, run.service.link);
    await search('eu-0');
    await tab.page.keyboard.press('Escape');
    await search('eu-03');
    await tab.page.locator('#found-0', { hasText: 'eu-03' }).waitFor();
    await tab.page.keyboard.press('Enter');
    await expect.poll(heading, PATIENCE).toBe('eu-03');
  });

  it('the focus is on the heading of a page as soon as the page is there', async () => {
    tab = await ConsoleTab.open(browser, run.service.link, { ownTime: true });
    await tab.page.clock.pauseAt(Number(await tab.page.evaluate('Date.now()')) + 20_000);
    for (const key of ['g', 'o']) await tab.page.keyboard.press(key);
    await expect.poll(heading, PATIENCE).toBe('Operators');
    expect(await tab.page.evaluate('document.activeElement.textContent')).toBe('Operators');
  });
});
