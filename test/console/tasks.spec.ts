import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleAction } from '#core/view/actions/console-action';
import type { ActionSender } from '#platform/console/action-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { CONFLICT, HASH } from './fleet-rows.js';
import { fillSizedFleet, operatorsOf, sizedAsker, sizedFleet } from './sized-fleet.js';

/** The ten tasks of the design, each from the page Fleet on, in fleets of three sizes, without a mouse. */
describe.each([3, 100, 1_000])('with the keyboard alone, in a fleet of %i clusters', needing(chromiumNeed), (size) => {
  const fleet = sizedFleet(size);
  let sent: ConsoleAction | undefined;
  const sender: ActionSender = {
    send: async (action) => {
      sent = action;
      return action.id;
    },
    find: async () => sent,
    results: async () => sent?.targets.map((one) => ({ ...one, outcome: 'done', message: 'approved' })) ?? [],
  };
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages({ sender, asker: sizedAsker(fleet) });
    fillSizedFleet(run.view, fleet);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
    for (const mouse of ['click', 'dblclick', 'mousedown'] as const)
      Object.defineProperty(tab.page, mouse, { value: () => Promise.reject(new Error('a mouse')) });
  });
  /** The page on which a task ends is usable by all, and nothing failed on the way. */
  afterEach(async () => {
    expect(await tab.axe()).toEqual([]);
    expect(tab.troubles).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const text = async (at = 'main') => (await tab.page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');
  const shows = (part: string | RegExp, at?: string) => expect.poll(() => text(at), PATIENCE).toMatch(part);
  /** Opens a page by `g` and its letter, or by words in the search. */
  async function go(to: string, heading: string): Promise<void> {
    if (to.length === 1) await press('g', to);
    else {
      await press('/');
      await tab.page.keyboard.type(to);
      await tab.page.locator('#found-0').waitFor();
      await press('Enter');
    }
    await shows(new RegExp(`^${heading}`), 'main h1');
  }
  /** Goes on with Tab until what has the focus has this text, and presses Enter. */
  async function enter(wanted: RegExp): Promise<void> {
    const focused = `(document.activeElement.closest('main, dialog') ? document.activeElement : {}).textContent ?? ''`;
    await expect
      .poll(async () => {
        await press('Tab');
        return String(await tab.page.evaluate(focused)).trim();
      }, PATIENCE)
      .toMatch(wanted);
    await press('Enter');
  }
  /** The operator that is not upgraded, by its cause on the page Fleet. */
  async function openBlocked(): Promise<void> {
    await go('f', 'Fleet');
    await enter(/harbor needs lamps/);
    await shows('Operators', 'main h1');
    await shows(new RegExp(`\\b${Math.ceil(size / 20)} operators?\\b`), '.filters');
    await press('j', 'Enter');
    await shows('harbor', 'main h1');
  }

  it('1: whether the fleet is well, without a key', async () => {
    await expect
      .poll(async () => {
        const numbers = await tab.page.locator('.tile-number').allInnerTexts();
        return numbers.reduce((sum, one) => sum + Number(one.replaceAll(/\D/g, '')), 0);
      }, PATIENCE)
      .toBe(operatorsOf(fleet));
    expect((await text('.reach-line')).replaceAll(/\D/g, '')).toBe(String(size));
    await shows('harbor needs lamps');
  });

  it('2: why an operator does not upgrade, in two steps', async () => {
    await openBlocked();
    await shows('What to do');
    expect(await text()).toContain(CONFLICT.because[1]);
  });

  it(`3: one review approves ${fleet.waiting - fleet.drifted} of ${fleet.waiting} clusters`, async () => {
    await go('a', 'Approvals');
    await enter(/^lamp/);
    await shows(`Group 2: ${fleet.drifted} cluster`);
    await enter(new RegExp(`^Approve in ${fleet.waiting - fleet.drifted} clusters`));
    await enter(/^Approve$/);
    await shows(`Approved in ${fleet.waiting - fleet.drifted} of`);
    expect(sent).toMatchObject({ verb: 'approve', planHash: HASH });
    expect(sent?.targets).toHaveLength(fleet.waiting - fleet.drifted);
  });

  it('4: what can be installed', async () => {
    await go('c', 'Catalogs');
    await enter(/^olm\/samples/);
    await enter(/Light for harbors/);
    await shows('kind: Subscription');
  });

  it('5: the upgrade graph, whose lines the arrows lead along', async () => {
    await go(`lamp ${fleet.first}`, 'lamp');
    await enter(/^Graph$/);
    await shows('lamp.v1.0.0 → lamp.v1.1.0 → lamp.v1.2.0');
    const tabTo = (what: string) =>
      expect
        .poll(async () => {
          await press('Tab');
          return tab.page.evaluate(`document.activeElement.matches('${what}')`);
        }, PATIENCE)
        .toBe(true);
    await tabTo('.channel-picker [aria-pressed="false"]');
    await press('Space');
    await shows('alpha', '.graph-channel');
    await tabTo('.picture');
    const lines: unknown[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) {
      await press(key);
      lines.push(await tab.page.evaluate('document.activeElement.dataset.box'));
    }
    expect(lines).toEqual(['alpha lamp.v2.0.0', 'alpha lamp.v1.0.0', 'stable lamp.v1.2.0']);
  });

  it('6: how far a rollout is', async () => {
    await go('r', 'Rollouts');
    await enter(/^lamp → /);
    await shows(new RegExp(`\\b${fleet.waiting}\\b`));
  });

  it('7: the health of a cluster', async () => {
    await go(fleet.first, fleet.first);
    await shows('Problem');
    await shows('harbor needs lamps');
  });

  it('8: a desired state that cannot be met, in three steps', async () => {
    await openBlocked();
    await enter(/^Conflict$/);
    await shows('In words');
    for (const { text: reason } of CONFLICT.conflict.children) expect(await text('.reasons')).toContain(reason);
  });

  it('9: what services and queues do', async () => {
    await go('h', 'Hub');
    await shows('applier');
  });

  it('10: what changed, when and by whom', async () => {
    await go('changes', 'Changes');
    await shows('jane@example.com');
  });

  it('11: which regions are unhealthy, on a map by two labels that lead to their clusters', async () => {
    await go('f', 'Fleet');
    await enter(/^Map$/);
    await shows('Clusters', 'main h1');
    const cells = tab.page.locator('.cluster-map td a strong');
    const sum = async () =>
      (await cells.allInnerTexts()).reduce((total, text) => total + Number(text.replaceAll(/\D/g, '')), 0);
    await expect.poll(sum, PATIENCE).toBe(size);
    const inLab = Math.ceil(size / 5 / 3);
    const href = `document.activeElement.getAttribute('href') ?? ''`;
    await expect
      .poll(async () => {
        await press('Tab');
        return decodeURIComponent(String(await tab.page.evaluate(href)));
      }, PATIENCE)
      .toBe('/clusters?label=region=eu,tier=lab');
    await press('Enter');
    await shows(new RegExp(`\\b${inLab} clusters?\\b`), '.filters');
  });

  it('12: what failed and what was done in the last day, as a picture and as a table', async () => {
    await go('f', 'Fleet');
    await shows(/Versions installed 1 in all/, '.trend');
    await enter(/^As a table$/);
    await shows('Failed then');
    expect(await tab.page.locator('section[aria-label="Last 24 hours"] tbody tr').count()).toBeGreaterThan(20);
    // Links that lie half under the frame are too small for axe.
    await tab.page.evaluate('scrollTo(0, 0)');
  });

  it('13: which clusters are behind, and since when', async () => {
    await go('harbor', 'harbor');
    await shows(/1\.0\.0/, '.trend.versions');
    await enter(/^7 days$/);
    await expect.poll(() => tab.page.url(), PATIENCE).toContain('span=7d');
    // In every twentieth cluster nothing runs.
    await shows(`A full bar is ${size - Math.ceil(size / 20)} clusters`);
  });

  it.each(['/clusters', '/operators'])('the list %s is usable by all', (path) => tab.goto(path));
});
