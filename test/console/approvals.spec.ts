import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleAction } from '#core/view/actions/console-action';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { planRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { CONFLICT, clusterName, fillFleet, HASH, REVIEWED } from './fleet-rows.js';

const APPROVAL = { by: 'jane@example.com', at: '2026-11-26T10:41:00Z', comment: 'CHG-4711' };
const OPERATOR = '/clusters/eu-09/lamps/subscriptions/lamp';

const OTHER_HASH = 'b'.repeat(64);
const LAMP_CRD = {
  ...{ bundle: 'lamp.v1.1.0', name: 'lamps.example.com', change: 'changed', more: 0 },
  others: [
    { namespace: 'harbors', name: 'harbor.v1.0.0', role: 'owner' },
    { namespace: 'elsewhere', name: 'mast.v1.0.0', role: 'user' },
  ],
};
const ONLY_HERE = { section: 'images', risk: false, sign: '+', what: 'registry/lamp:2', text: '', lines: [] };

const asker: QuestionAsker = {
  ask: async ({ ask, cluster, namespace }) => {
    if (ask === 'review' && namespace === 'harbors')
      return {
        answer: { ...REVIEWED, hash: OTHER_HASH, differences: [...REVIEWED.differences, ONLY_HERE], touches: [] },
      };
    if (ask === 'review') return { answer: { ...REVIEWED, touches: [LAMP_CRD] } };
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
  const sent: ConsoleAction[] = [];
  const sender: ActionSender = {
    send: async (action) => {
      sent.push(action);
      return action.id;
    },
    find: async (id) => sent.find((one) => one.id === id),
    results: async (id) =>
      sent.find((one) => one.id === id)?.targets.map((one) => ({ ...one, outcome: 'done', message: 'approved' })) ?? [],
  };
  beforeAll(async () => {
    run = await openPages({ asker, sender });
    fillFleet(run.view);
    const cluster = clusterName(11);
    run.view.write({ cluster, changed: [planRow(cluster, 'harbor', OTHER_HASH, { change: 'major' })], removed: [] });
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
    await expect.poll(() => tab.text(), PATIENCE).toContain('It is up to date with what it asks for.');
    await tab.answered();
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

  it('shows the CRDs that a plan touches, and the other operators that own or use them', async () => {
    await tab.goto(`/approvals/${HASH}`);
    const touches = 'section[aria-label="What it touches"]';
    await expect.poll(() => tab.text(touches), PATIENCE).toContain('lamps.example.com changed');
    expect(await tab.text(touches)).toMatch(/harbor harbors · 3 clusters owns it too mast\.v1\.0\.0 elsewhere/);
    await tab.page.locator(touches).getByText('As a table').click();
    await expect
      .poll(() => tab.text(`${touches} table`), PATIENCE)
      .toContain('harbor in harbors (3 clusters) owns it too');
    expect(await tab.axe()).toEqual([]);
    await tab.page.locator(touches).getByRole('link', { name: 'harbor' }).click();
    await expect.poll(() => tab.page.url(), PATIENCE).toContain('/harbors/subscriptions/harbor');
  });

  it('are filtered, sorted, and given for several classes at once: what is common, and what differs', async () => {
    await tab.goto('/approvals');
    await expect.poll(() => tab.text('.filters'), PATIENCE).toContain('2 classes');
    await tab.page.getByLabel('Filter by change').selectOption({ label: 'major (1)' });
    await expect.poll(() => tab.text('.filters'), PATIENCE).toContain('1 class');
    await tab.goto('/approvals');
    await tab.page.getByRole('button', { name: 'Clusters', exact: true }).click();
    const first = async () => (await tab.page.locator('.body-row').allInnerTexts())[0] ?? '';
    await expect.poll(first, PATIENCE).toMatch(/^harbor/);
    await tab.page.locator('.grid-head .tick-target').click();
    await tab.page.getByRole('button', { name: 'Review together…' }).click();
    const common = 'section[aria-label="Common to all"]';
    await expect.poll(() => tab.text(common), PATIENCE).toContain('ClusterRole lamp gets one permission');
    expect(await tab.text('section[aria-label="Differs"]')).toMatch(/registry\/lamp:2 .*harbor 1\.0\.0 → 1\.1\.0/);
    expect(await tab.axe()).toEqual([]);
    await tab.page.getByPlaceholder('Comment, e.g. change number').fill('CHG-9');
    await tab.page.getByRole('button', { name: 'Approve 4 plans of 2 classes…' }).click();
    await expect.poll(() => tab.text('dialog'), PATIENCE).toContain('+ secrets: get, list');
    expect(await tab.text('dialog')).toContain('Comment: CHG-9');
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => tab.text('.results'), PATIENCE).toContain('Approved in 4 of 4 plans');
    const told = sent.map(({ planHash, targets, comment }) => [planHash, targets.length, comment]);
    expect(told.toSorted()).toEqual([
      [OTHER_HASH, 1, 'CHG-9'],
      [HASH, 3, 'CHG-9'],
    ]);
    expect(await tab.axe()).toEqual([]);
  });

  it.each([360, 900, 1_024, 2_560])('scroll no page sideways at %i pixels', async (width) => {
    const narrow = await ConsoleTab.open(browser, run.service.link, { width });
    const together = `/approvals/together?class=${HASH},${OTHER_HASH}`;
    for (const path of ['/', '/approvals', `/approvals/${HASH}`, together, '/clusters?view=map', '/operators/lamp']) {
      await narrow.goto(path);
      await narrow.settled();
      const over = () => narrow.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      await expect.poll(over, { ...PATIENCE, message: path }).toBeLessThanOrEqual(0);
    }
    expect(narrow.troubles).toEqual([]);
    await narrow.close();
  });
});
