import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { CONFLICT, clusterName, fillFleet, HASH, REVIEWED } from './fleet-rows.js';

const APPROVAL = { by: 'jane@example.com', at: '2026-11-26T10:41:00Z', comment: 'CHG-4711' };
const OPERATOR = '/clusters/eu-09/lamps/subscriptions/lamp';

const asker: QuestionAsker = {
  ask: async ({ ask, cluster }) => {
    if (ask === 'review') return { answer: REVIEWED };
    return { answer: { ...CONFLICT, ...(cluster === clusterName(8) && { approval: APPROVAL }) } };
  },
};

const approved = (cluster: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ ...APPROVAL, kind: 'approval', cluster, row: 'plan/lamps/install-1', namespace: 'lamps', package: 'lamp' },
  ...{ from: 'lamp.v1.0.0', to: 'lamp.v1.1.0', hash: HASH },
  ...more,
});

describe('who approved, when and why, on the pages of the console', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages({ asker });
    fillFleet(run.view);
    run.view.writeHistory([
      approved(clusterName(8)),
      approved(clusterName(9)),
      approved(clusterName(9), { package: 'lamp-lib', to: 'lamp-lib.v2.0.0' }),
      approved(clusterName(10), { by: 'otto@example.com', comment: 'another plan', hash: 'other' }),
    ]);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterEach(() => expect(tab.troubles, 'errors, CSP reports and requests elsewhere').toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  it('stands on the page of the operator, from the plan in the cluster', async () => {
    await tab.goto(OPERATOR);
    await expect.poll(() => tab.text('.approved-by'), PATIENCE).toMatch(/approved by jane@example\.com .*CHG-4711/);
    await expect.poll(() => tab.text('.changes'), PATIENCE).toMatch(/approved .*lamp\.v1\.1\.0 .*CHG-4711/);
    expect(await tab.axe()).toEqual([]);
    await tab.goto('/clusters/eu-12/lamps/subscriptions/lamp');
    await expect.poll(() => tab.text(), PATIENCE).toContain('What to do');
    expect(await tab.page.locator('.approved-by').count()).toBe(0);
  });

  it('stands in the review of what other clusters have of the same plan, and of no other', async () => {
    await tab.goto(`/approvals/${HASH}`);
    await expect.poll(() => tab.text('section[aria-label="Previous approvals"]'), PATIENCE).toContain('CHG-4711');
    const shown = await tab.text('section[aria-label="Previous approvals"]');
    expect(shown).toContain('jane@example.com');
    expect(shown).toContain('lamp in 2 clusters');
    expect(shown).not.toMatch(/otto|another plan|lamp-lib/);
    expect(await tab.axe()).toEqual([]);
  });

  it('stands beside a rollout that follows from the clusters', async () => {
    await tab.goto('/rollouts/lamp@lamp.v1.1.0');
    const decisions = 'section[aria-label="Decisions"]';
    await expect.poll(() => tab.text(decisions), PATIENCE).toMatch(/jane@example\.com Approve 2 clusters CHG-4711/);
  });
});
