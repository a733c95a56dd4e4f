import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleAction } from '#core/view/actions/console-action';
import { PolicyModel } from '#core/view/rights/console-policy';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { operatorRow, planRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { byName, ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { catalogAnswer, SAMPLES } from './catalog-content.js';
import { CONFLICT, clusterName, FAILED_HASH, fillFleet, HASH, REVIEWED } from './fleet-rows.js';

const ALL = { clusters: ['*'] };
const POLICY = PolicyModel.parse({
  grants: [
    { users: ['viewer', 'lamps', 'second'], role: 'viewer', ...ALL },
    { users: ['lamps'], role: 'approver', clusters: ['eu-04'], packages: ['lamp'] },
    { users: ['second'], role: 'operator', clusters: ['eu-02'] },
    { users: ['harbors'], role: 'viewer', ...ALL },
    { users: ['harbors'], role: 'operator', ...ALL, packages: ['harbor'] },
    { users: ['owner'], role: 'viewer', clusters: ['eu-01'], namespaces: ['harbors'] },
  ],
});

const EXTENSION = { id: 'extension/lantern', namespace: '', api: 'v1' } as const;
const asker: QuestionAsker = {
  ask: async (question) => {
    if ('digest' in question) return catalogAnswer(SAMPLES, question);
    const { ask } = question;
    if (ask === 'review') return { answer: REVIEWED };
    return { answer: ask === 'explain' ? CONFLICT : { items: [] } };
  },
};

describe('what the pages offer and show to people with some rights', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab | undefined;
  let sent: ConsoleAction | undefined;
  const sender: ActionSender = {
    send: async (action) => {
      sent = action;
      return action.id;
    },
    find: async () => sent,
    results: async () => sent?.targets.map((one) => ({ ...one, outcome: 'done', message: 'approved' })) ?? [],
  };
  beforeAll(async () => {
    run = await openPages({ sender, asker, signIns: [byName(POLICY)] });
    fillFleet(run.view);
    for (const cluster of [clusterName(0), clusterName(1)])
      run.view.write({ cluster, changed: [operatorRow(cluster, 'lantern', EXTENSION)], removed: [] });
    const moves = ['harbor', 'mill'].map((name) => ({ package: name, from: '', to: `${name}.v1.1.0` }));
    const both = planRow(clusterName(0), 'harbor', FAILED_HASH, { phase: 'Failed', approved: true, moves });
    run.view.write({ cluster: clusterName(0), changed: [both], removed: [] });
    browser = await launchChromium();
  });
  afterEach(async () => {
    const troubles = tab?.troubles ?? [];
    await tab?.close();
    expect(troubles, 'errors, CSP reports and requests elsewhere').toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  async function openAs(name: string): Promise<ConsoleTab> {
    tab = await ConsoleTab.open(browser, run.service.link, { as: name });
    await expect.poll(() => tab?.page.locator('.person').innerText(), PATIENCE).toBe(name);
    return tab;
  }
  const text = async ({ page }: ConsoleTab, at = 'main') =>
    (await page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');
  const buttons = ({ page }: ConsoleTab, name: RegExp) => page.locator('main').getByRole('button', { name }).count();
  const headers = (name: string) => ({ cookie: `person=${name}`, 'x-csrf-token': `token-${name}` });

  it('8: a viewer has no button for what changes something, and no page Hub', async () => {
    const page = await openAs('viewer');
    await page.goto(`/approvals/${HASH}`);
    await expect.poll(() => text(page), PATIENCE).toContain('Approving it needs the role approver.');
    expect(await buttons(page, /approve/i)).toBe(0);
    expect(await page.page.locator('main input[type=checkbox]').count()).toBe(0);
    await page.goto('/clusters/eu-01/harbors/subscriptions/harbor');
    await expect.poll(() => text(page), PATIENCE).toContain('What to do');
    expect(await buttons(page, /Retry plan/i)).toBe(0);
    await page.goto('/clusters/eu-01/extensions/lantern');
    await expect.poll(() => text(page), PATIENCE).toContain('Revisions');
    expect(await buttons(page, /roll back/i)).toBe(0);
    await expect.poll(() => text(page, 'nav.navigation'), PATIENCE).not.toContain('Hub');
    await page.goto('/hub');
    await expect.poll(() => text(page), PATIENCE).toContain('No such page is visible to you.');
  });

  it('8: the server refuses a viewer what no button offers', async () => {
    const targets = [{ cluster: 'eu-04', namespace: 'lamps', name: 'install-1' }];
    const failed = [{ cluster: 'eu-01', namespace: 'harbors', name: 'install-1' }];
    for (const body of [
      { verb: 'approve', planHash: HASH, targets },
      { verb: 'retry', planHash: FAILED_HASH, targets: failed },
      { verb: 'roll-back', revision: 1, targets: [{ cluster: 'eu-01', namespace: '', name: 'lantern' }] },
    ]) {
      const more = { 'sec-fetch-site': 'same-origin', 'idempotency-key': `viewer-${body.verb}` };
      const answer = await run.post('/api/v1/actions', body, { ...headers('viewer'), ...more });
      expect([body.verb, answer.status]).toEqual([body.verb, 403]);
    }
    expect((await run.get('/api/v1/hub', headers('viewer'))).status).toBe(404);
    expect(sent).toBeUndefined();
  });

  it('8: an approver of one cluster approves there, and the other clusters have no tick', async () => {
    const page = await openAs('lamps');
    await page.goto(`/approvals/${HASH}`);
    await expect.poll(() => buttons(page, /^Approve in 1 cluster…$/), PATIENCE).toBe(1);
    expect(await page.page.locator('ul.members input[type=checkbox]').count()).toBe(1);
    expect(await text(page)).toMatch(/not yours to approve.*eu-05.*eu-06/i);
    expect(await page.axe()).toEqual([]);
    await page.page.getByRole('button', { name: /^Approve in 1/ }).click();
    await page.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => text(page), PATIENCE).toContain('Approved in 1 of 1 cluster');
    expect(sent).toMatchObject({ verb: 'approve', by: 'lamps', targets: [{ cluster: 'eu-04' }] });
  });

  it('8: who operates one cluster has buttons there, and none in the next one', async () => {
    const page = await openAs('second');
    const places = [
      ['harbors/subscriptions/harbor', /Retry plan/i, 'What to do'],
      ['extensions/lantern', /roll back/i, 'Revisions'],
    ] as const;
    for (const [place, button, shows] of places) {
      await page.goto(`/clusters/eu-02/${place}`);
      await expect.poll(() => buttons(page, button), PATIENCE).toBe(1);
      await page.goto(`/clusters/eu-01/${place}`);
      await expect.poll(() => text(page), PATIENCE).toContain(shows);
      // Whether it may be done there has been answered.
      await page.settled();
      expect(await buttons(page, button), place).toBe(0);
    }
  });

  it('8: a plan that moves a package of another team has no button, the next one has', async () => {
    const page = await openAs('harbors');
    await page.goto('/clusters/eu-02/harbors/subscriptions/harbor');
    await expect.poll(() => buttons(page, /Retry plan/i), PATIENCE).toBe(1);
    await page.goto('/clusters/eu-01/harbors/subscriptions/harbor');
    await expect.poll(() => text(page), PATIENCE).toContain('What to do');
    await page.settled();
    expect(await buttons(page, /Retry plan/i)).toBe(0);
  });

  const CONTENT = `/catalogs/${'a'.repeat(16)}`;
  const SEEN = [
    ...[
      '/',
      '/clusters',
      '/clusters/eu-01',
      '/clusters/eu-01?view=operators',
      '/operators',
      '/operators?view=packages',
    ],
    ...['/operators/harbor', '/approvals', '/catalogs', '/rollouts', '/changes', '/about', CONTENT],
    ...['', '?view=where', '?view=versions', '?view=graph'].map((view) => `${CONTENT}/packages/harbor${view}`),
    '/clusters/eu-01/harbors/subscriptions/harbor',
  ];

  it('9: the owner of one namespace sees it on every page, and nothing else of the fleet', async () => {
    const page = await openAs('owner');
    for (const path of SEEN) {
      await page.goto(path);
      await page.settled();
      const shown = String(await page.page.evaluate('document.body.outerHTML'));
      expect(shown, path).not.toMatch(/eu-(?!01)\d\d|jane@example\.com|CHG-4711|fleets\/mill/);
      expect(await text(page), path).not.toMatch(/\b40 clusters|\b81 operators|\blamps?\.v1/);
    }
  });

  it('9: what the owner of one namespace may not see is not there, for a link that was sent to them either', async () => {
    const page = await openAs('owner');
    const lamp = '/clusters/eu-01/lamps/subscriptions/lamp';
    for (const path of ['/clusters/eu-02', lamp, '/operators/lamp', `/approvals/${HASH}`]) {
      await page.goto(path);
      await page.settled();
      expect(await text(page), path).toMatch(/not in|no cluster|no plan|not known|no such/i);
      expect(await text(page), path).not.toMatch(/eu-(0[3-9]|[1-4]\d)|TRANSIENT|secrets: get/);
    }
  });
});
