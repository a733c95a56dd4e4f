import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleAction } from '#core/view/actions/console-action';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { clusterRow, operatorRow, planRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { FAILED_HASH, HASH, REVIEWED } from './fleet-rows.js';

/** More than a window of a list, and more than the targets of one request. */
const CLUSTERS = 1_050;
const CAUSE = { code: 'plan-failed', kind: 'InstallPlan', names: ['harbor'], text: 'CRD refused' };
const FAILED = { standing: 'failed', cause: CAUSE } as const;

const asker: QuestionAsker = { ask: async () => ({ answer: REVIEWED }) };

describe('what is done with everything that a filter matches', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  const sent = new Map<string, ConsoleAction>();
  const sender: ActionSender = {
    send: async (action) => {
      sent.set(action.id, action);
      return action.id;
    },
    find: async (id) => sent.get(id),
    results: async (id) => sent.get(id)?.targets.map((one) => ({ ...one, outcome: 'done', message: '' })) ?? [],
  };
  const targets = () => [...sent.values()].map((action) => action.targets.length);
  beforeAll(async () => {
    run = await openPages({ sender, asker });
    for (let at = 0; at < CLUSTERS; at += 1) {
      const cluster = `eu-${String(at).padStart(4, '0')}`;
      const failed = planRow(cluster, 'harbor', FAILED_HASH, { phase: 'Failed', approved: true });
      const changed = [
        clusterRow(cluster, { standing: 'failed', cause: CAUSE }),
        ...[operatorRow(cluster, 'harbor', FAILED), failed, planRow(cluster, 'lamp', HASH)],
        operatorRow(cluster, 'lamp', { standing: 'needs-approval', planHash: HASH, plan: 'install-1' }),
      ];
      run.view.write({ cluster, changed, removed: [] });
    }
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  beforeEach(() => sent.clear());
  afterEach(() => expect(tab.troubles, 'errors, CSP reports and requests elsewhere').toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  it('failed plans of operators are made anew, beyond the rows that are in sight', async () => {
    await tab.goto('/operators?standing=failed');
    await tab.page.getByLabel('Select all 1,050').check();
    await expect.poll(() => tab.text(), PATIENCE).toContain('1,050 operators selected: all that match the filter');
    await tab.page.getByLabel('Select this row').first().uncheck();
    await expect.poll(() => tab.text(), PATIENCE).toContain('1,049 operators selected: all but 1');
    expect(await tab.axe()).toEqual([]);
    await tab.page.getByRole('button', { name: 'Retry failed plans…' }).click();
    await expect.poll(() => tab.text('dialog'), PATIENCE).toContain('Retry 1,049 plans?');
    await tab.page.getByRole('button', { name: 'Retry', exact: true }).click();
    await expect.poll(targets, PATIENCE).toEqual([1_000, 49]);
    for (const action of sent.values()) expect(action).toMatchObject({ verb: 'retry', planHash: FAILED_HASH });
    const named = [...sent.values()].flatMap((action) => action.targets.map(({ cluster }) => cluster));
    expect(new Set(named).size).toBe(1_049);
  });

  it('ticks go with the filter: another one begins with none, and a single tick is one operator', async () => {
    await tab.goto('/operators?standing=failed');
    await tab.page.getByLabel('Select all 1,050').check();
    await tab.goto('/operators?package=lamp');
    expect(await tab.text()).not.toContain('selected');
    await tab.page.getByLabel('Select this row').first().check();
    await expect.poll(() => tab.text(), PATIENCE).toContain('1 operator selected');
    await tab.page.getByRole('button', { name: 'Retry failed plans…' }).click();
    await expect.poll(() => tab.text('dialog'), PATIENCE).toContain('None of the selected operators');
    await tab.page.getByRole('button', { name: 'Cancel' }).click();
    expect(targets()).toEqual([]);
  });

  it('on a phone rows are ticked with a thumb, and what is done with them stays in sight', async () => {
    const phone = await ConsoleTab.open(browser, run.service.link, { width: 390 });
    const { page } = phone;
    await phone.goto('/operators?standing=failed');
    const places = page.locator('.body-row .tick-target');
    await places.nth(1).waitFor();
    const { width = 0, height = 0 } = (await places.first().boundingBox()) ?? {};
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
    await places.first().click({ position: { x: 4, y: 4 } });
    await places.nth(1).click();
    await expect.poll(() => phone.text('.act-bar'), PATIENCE).toContain('2 operators selected');
    expect(await phone.axe()).toEqual([]);
    await page.getByText('Select all 1,050').click();
    await page.evaluate('scrollTo(0, 20_000)');
    await expect.poll(() => phone.text('.act-bar'), PATIENCE).toContain('1,050 operators selected');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Retry failed plans…' }).click();
    await expect.poll(() => phone.text('dialog'), PATIENCE).toContain('Retry 1,050 plans?');
    expect(await phone.axe()).toEqual([]);
    expect(phone.troubles).toEqual([]);
    await phone.close();
  });

  it.each([390, 1_280])(
    'with the keyboard, no row that has the focus is under the head or the bar, at %i pixels',
    async (width) => {
      const narrow = await ConsoleTab.open(browser, run.service.link, { width });
      const { page } = narrow;
      await narrow.goto('/operators?standing=failed');
      // A row has a tick as soon as it is known what the person may do.
      await page.locator('.body-row .tick-target').first().waitFor();
      await page.locator('.body-row').first().focus();
      const bottom = `document.activeElement.getBoundingClientRect().bottom`;
      const top = `document.querySelector('.act-bar').getBoundingClientRect().top`;
      for (let at = 1; at <= 30; at += 1) {
        await page.keyboard.press('x');
        await expect.poll(() => narrow.text('.act-bar'), PATIENCE).toContain(`${at} operator`);
        await page.keyboard.press('j');
        await expect.poll(() => page.evaluate('document.activeElement.dataset.index'), PATIENCE).toBe(String(at));
        await expect.poll(() => page.evaluate(`${bottom} <= ${top}`), { ...PATIENCE, message: `row ${at}` }).toBe(true);
      }
      await narrow.close();
    },
  );

  it('classes beyond a window are reached in one list, and no more than twenty are reviewed together', async () => {
    const others = Array.from({ length: 205 }, (_, at) =>
      planRow('eu-0000', `mill-${at}`, `mill-${at}`, { createdAt: '2026-11-25T11:00:00Z' }),
    );
    run.view.write({ cluster: 'eu-0000', changed: others, removed: [] });
    await tab.goto('/approvals');
    await expect.poll(() => tab.text(), PATIENCE).toContain('206 classes');
    await tab.page.locator('.body-row').first().focus();
    await tab.page.keyboard.press('End');
    const last = async () => String(await tab.page.evaluate('document.activeElement.textContent'));
    await expect.poll(last, PATIENCE).toMatch(/^mill-99/);
    await tab.page.locator('.grid-head .tick-target').click();
    await expect.poll(() => tab.text('.act-bar'), PATIENCE).toContain('206 classes selected: at most 20');
    expect(await tab.page.getByRole('button', { name: 'Review together…' }).isDisabled()).toBe(true);
    run.view.write({ cluster: 'eu-0000', changed: [], removed: others.map(({ id }) => id) });
  });

  it('a plan is approved in more clusters than one request takes', async () => {
    await tab.goto(`/approvals/${HASH}`);
    await tab.page.getByRole('button', { name: 'Approve in 1,050 clusters…' }).click();
    await tab.page.getByLabel(/Type 1050/).fill('1050');
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => tab.text(), PATIENCE).toContain('Approved in 1,050 of 1,050 clusters');
    expect(targets()).toEqual([1_000, 50]);
  });
});
