import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { fillFleet } from './fleet-rows.js';

/** Lines of the browser about a network that is cut, and files that are gone. */
const OWN_LINES = /^Failed to load resource: (net::ERR_|the server responded with a status of 404)|ERR_INTERNET/;

describe('a page that is opened first while it cannot be loaded', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages();
    fillFleet(run.view);
    browser = await launchChromium();
  });
  beforeEach(async () => {
    tab = await ConsoleTab.open(browser, run.service.link);
    await tab.settled();
  });
  afterEach(async () => {
    const troubles = tab.troubles.filter((line) => !OWN_LINES.test(line));
    await tab.close();
    expect(troubles).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const network = (isCut: boolean) => tab.page.context().setOffline(isCut);
  const click = (name: string) =>
    tab.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const heading = () => expect.poll(() => tab.text('main h1'), PATIENCE);
  const path = () => new URL(tab.page.url()).pathname;

  it('says so, shows no other page in its place, and is there when the network is back', async () => {
    await network(true);
    await click('Hub');
    await heading().toBe('This page could not be loaded');
    expect(path()).toBe('/hub');
    expect(await tab.text()).toContain('The console does not answer. Failing since');
    expect(await tab.axe()).toEqual([]);
    await network(false);
    await heading().toBe('Hub');
  });

  it('does not come back under the address of another page', async () => {
    await network(true);
    await click('Hub');
    await heading().toBe('This page could not be loaded');
    await network(false);
    await click('Changes');
    await heading().toBe('Changes');
    await click('Hub');
    await heading().toBe('Hub');
    expect(path()).toBe('/hub');
  });

  it('after an upgrade of the hub is loaded with all others, after a notice on the pages before', async () => {
    await tab.page.evaluate('window.isSame = true');
    const isSame = () => tab.page.evaluate('window.isSame === true');
    await tab.page.route('**/assets/hub.page-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await tab.page.route('**/api/v1/**', async (route) => {
      if (route.request().url().endsWith('/events')) return route.continue();
      const response = await route.fetch();
      return route.fulfill({ response, headers: { ...response.headers(), 'console-build': '/assets/index-other.js' } });
    });
    await click('Approvals');
    await expect.poll(() => tab.text('.upgraded'), PATIENCE).toContain('The hub was upgraded.');
    expect(await tab.axe()).toEqual([]);
    expect(await isSame()).toBe(true);
    await click('Hub');
    await expect.poll(isSame, PATIENCE).toBe(false);
    // The test names the build, so the reload brought no other: the page says so, and is not reloaded.
    await heading().toBe('This page could not be loaded');
    await tab.page.unrouteAll({ behavior: 'ignoreErrors' });
    await tab.page.getByRole('button', { name: 'Load the console again' }).click();
    await heading().toBe('Hub');
  });
});
