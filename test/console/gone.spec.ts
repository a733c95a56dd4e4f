import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { operatorRow, planRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { catalogAnswer, SAMPLES } from './catalog-content.js';
import { CONFLICT, clusterName, fillFleet, REVIEWED } from './fleet-rows.js';

const CLUSTER = clusterName(20);
const [HERE, GONE_CONTENT] = ['a'.repeat(16), '9'.repeat(16)];
const PLAN = '7'.repeat(64);
const asker: QuestionAsker = {
  ask: async (question) => {
    if ('digest' in question) return catalogAnswer(SAMPLES, question);
    if (question.ask === 'explain') return { answer: CONFLICT };
    return question.ask === 'review' ? { answer: { ...REVIEWED, hash: PLAN } } : { answer: { items: [] } };
  },
};
const change = { kind: 'version', cluster: CLUSTER, by: 'hub', comment: '' } as const;

/** The address, what it says there, and where a link leads on from there. */
const GONE: readonly (readonly [string, RegExp, string])[] = [
  ['/clusters/atlantis', /atlantis.* not|no cluster/i, '/clusters'],
  [`/clusters/${CLUSTER}/terns/subscriptions/tern`, /tern is not in eu-21 now/, `/clusters/${CLUSTER}`],
  [`/clusters/${CLUSTER}/extensions/lantern`, /lantern is not in eu-21 now/, `/clusters/${CLUSTER}`],
  ['/operators/tern', /No cluster has an operator of the package tern now/, '/changes?package=tern'],
  ['/approvals/0123456789abcdef', /No plan of this class is waiting/, '/changes'],
  [`/catalogs/${GONE_CONTENT}`, /No cluster uses this content now/, '/catalogs'],
  [`/catalogs/${GONE_CONTENT}/packages/lamp`, /No cluster uses this content now/, '/operators/lamp'],
  [`/catalogs/${HERE}/packages/tern`, /has no package tern/, `/catalogs/${HERE}`],
  [`/catalogs/${HERE}/packages/tern?view=graph&from=tern.v1.0.0`, /has no package tern/, '/changes?package=tern'],
  ['/rollouts/tern@tern.v1.1.0', /This rollout no longer exists/, '/changes?package=tern'],
  ['/rollouts/fleet%2Ftern-3', /This rollout no longer exists/, '/changes'],
  ['/operators?cluster=atlantis', /No operator matches/, ''],
  ['/clusters/%E0%A4', /The console has no page at this address/, '/operators'],
  ['/rollouts/fifty%', /The console has no page at this address/, '/catalogs'],
  ['/nowhere/at/all', /The console has no page at this address/, '/operators'],
];

describe('a link to what is gone', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages({ asker });
    fillFleet(run.view);
    const moved = { namespace: 'terns', package: 'tern', from: 'tern.v1.0.0', to: 'tern.v1.1.0' };
    run.view.writeHistory([
      { ...change, ...moved, at: '2026-11-26T10:41:00Z', row: 'subscription/terns/tern' },
      {
        ...change,
        at: '2026-11-26T10:40:00Z',
        cluster: 'atlantis',
        row: 'cluster',
        namespace: '',
        package: '',
      } as never,
    ]);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const text = async (at = 'main') => (await tab.page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');

  it.each(GONE)('20: says so at %s, with a way on', async (path, says, onward) => {
    await tab.goto(path);
    await tab.settled();
    const shown = await text();
    expect(shown).toMatch(says);
    // It is not tried again, and no part of the page speaks of a failure.
    expect(shown).not.toMatch(/retried automatically|The console answered|undefined|page failed/);
    expect(await tab.axe()).toEqual([]);
    expect(tab.troubles).toEqual([]);
    if (onward === '') return;
    await tab.page.locator(`main a[href="${onward}"]`).first().click();
    await expect.poll(() => tab.page.url(), PATIENCE).toBe(new URL(onward, run.service.origin).href);
    await tab.settled();
    const there = await text();
    expect(there, 'the link leads to something').not.toMatch(/No \w+ matches|No change matches|not known any more/);
  });

  it('20: says since when an operator is gone, and which version it had', async () => {
    await tab.goto(`/clusters/${CLUSTER}/terns/subscriptions/tern`);
    await expect.poll(() => text(), PATIENCE).toMatch(/26 November 2026.*tern\.v1\.1\.0/);
  });

  it('20: says so on a page that is open while its operator, or its plan, goes away', async () => {
    const row = operatorRow(CLUSTER, 'tern', { standing: 'needs-approval', planHash: PLAN, plan: 'install-1' });
    run.view.write({ cluster: CLUSTER, changed: [row, planRow(CLUSTER, 'tern', PLAN)], removed: [] });
    const review = await tab.page.context().newPage();
    await review.goto(new URL(`/approvals/${PLAN}`, run.service.origin).href);
    await review.getByRole('button', { name: 'Approve in 1 cluster…' }).waitFor();
    await tab.goto(`/clusters/${CLUSTER}/terns/subscriptions/tern`);
    await expect.poll(() => text(), PATIENCE).toContain('Review the plan');
    run.view.write({ cluster: CLUSTER, changed: [], removed: [row.id, 'plan/terns/install-1'] });
    await expect.poll(() => text(), PATIENCE).toContain('tern is not in eu-21 now');
    await review.getByText(/is waiting/).waitFor();
    expect(await review.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    await review.close();
  });
});
