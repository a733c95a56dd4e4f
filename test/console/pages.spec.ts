import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ActionResult, ConsoleAction } from '#core/view/actions/console-action';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { operatorRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages, type TabOptions } from './browser.js';
import { catalogAnswer, SAMPLES } from './catalog-content.js';
import { harborRollout } from './fleet-rollout.js';
import { CONFLICT, clusterName, FAILED_HASH, fillFleet, HASH, REVIEWED } from './fleet-rows.js';

const PAGES = [
  ...['/', '/clusters', '/clusters/eu-01', '/clusters?view=map', '/operators', '/operators/harbor', '/approvals'],
  ...[
    '/rollouts',
    '/rollouts/lamp@lamp.v1.1.0',
    '/changes',
    '/hub',
    '/about',
    '/nowhere',
    `/approvals/${HASH}`,
    '/catalogs',
  ],
  ...['/clusters/eu-01/harbors/subscriptions/harbor', '/operators?standing=failed&package=harbor'],
  ...['', '/packages/lamp', '/packages/lamp?view=versions', '/packages/lamp?view=graph&from=lamp.v1.0.0'].map(
    (path) => `/catalogs/${'a'.repeat(16)}${path}`,
  ),
];

/** Does in two clusters what it is asked, and finds the third changed. */
let sent: ConsoleAction | undefined;
const ends = [
  { outcome: 'done', message: 'approved' },
  { outcome: 'done', message: 'approved' },
  { outcome: 'changed-meanwhile', message: 'the content of the InstallPlan changed since the review' },
] as const;
const sender: ActionSender = {
  send: async (action) => {
    sent = action;
    return action.id;
  },
  find: async () => sent,
  results: async () => sent?.targets.map((one, at): ActionResult => ({ ...one, ...(ends[at] ?? ends[0]) })) ?? [],
};

/** Answers as a poller does. */
const asker: QuestionAsker = {
  ask: async (question) => {
    if ('digest' in question) return catalogAnswer(SAMPLES, question);
    const { ask } = question;
    if (ask === 'review') return { answer: REVIEWED };
    if (ask === 'explain') return { answer: CONFLICT };
    if (ask === 'object') return { answer: { yaml: 'kind: Subscription\n', cut: false } };
    return { answer: { items: [] } };
  },
};

describe('the pages of the console in Chromium', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  const tabs: ConsoleTab[] = [];
  beforeAll(async () => {
    run = await openPages({ sender, asker });
    fillFleet(run.view);
    browser = await launchChromium();
  });
  afterEach(async () => {
    const troubles = tabs.flatMap((tab) => tab.troubles);
    await Promise.all(tabs.splice(0).map((tab) => tab.close()));
    expect(troubles, 'errors, CSP reports and requests elsewhere').toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  async function open(options?: TabOptions): Promise<ConsoleTab> {
    const tab = await ConsoleTab.open(browser, run.service.link, options);
    tabs.push(tab);
    return tab;
  }
  const text = async (tab: ConsoleTab, at = 'main') =>
    (await tab.page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');
  const heading = (tab: ConsoleTab) => text(tab, 'main h1');

  it('the link signs in, and the key leaves the address', async () => {
    const tab = await open();
    expect(tab.page.url()).not.toContain('key');
    await expect.poll(() => text(tab, '.person'), PATIENCE).toBe('local');
  });

  it('task 1: is the fleet well: counts, causes and what is away, without a click', async () => {
    const tab = await open();
    for (const part of ['3 operators failed', '3 operators needs approval', 'CRD lamps.example.com refused', '1 away'])
      await expect.poll(() => text(tab), PATIENCE).toContain(part);
    await tab.page.getByText('CRD lamps.example.com refused').first().click();
    await expect.poll(() => tab.page.url(), PATIENCE).toContain('/operators?cause=');
  });

  it('each cause leads to the operators that have it, however urgent they are, or to its cluster or catalogs', async () => {
    const tab = await open();
    const causes = 'Array.from(document.querySelectorAll("table.causes tbody tr"))';
    const read = `${causes}.map((row) => [row.querySelector("a").getAttribute("href"), row.cells[2].textContent])`;
    await expect.poll(async () => ((await tab.page.evaluate(read)) as unknown[]).length, PATIENCE).toBe(4);
    for (const [href, operators] of (await tab.page.evaluate(read)) as [string, string][]) {
      await tab.goto(href);
      if (operators === '0') {
        await expect.poll(() => heading(tab), PATIENCE).toBe(href.startsWith('/clusters') ? 'eu-07' : 'Catalogs');
        continue;
      }
      await expect.poll(() => text(tab, '.filters'), PATIENCE).toMatch(new RegExp(`\\b${operators} operators?\\b`));
    }
  });

  it('a catalog that failed and blocks nothing says why, and what to do', async () => {
    const tab = await open();
    await tab.page
      .getByRole('link', { name: /olm\/alone/ })
      .first()
      .click();
    const section = 'section[aria-label="Not well"]';
    await expect.poll(() => text(tab, section), PATIENCE).toContain('What to do');
    expect(await text(tab, section)).toMatch(/^Not well CatalogSource olm\/alone in eu-09 /);
    expect(await text(tab, section)).toContain(CONFLICT.advice[0]?.command);
    expect(await tab.axe()).toEqual([]);
  });

  it('task 2: an operator that does not upgrade says why, and what to do', async () => {
    const tab = await open();
    await tab.goto('/clusters/eu-01/harbors/subscriptions/harbor');
    await expect.poll(() => text(tab), PATIENCE).toContain('What to do');
    expect(await text(tab)).toContain(CONFLICT.because[1]);
    expect(await text(tab)).toContain(CONFLICT.advice[0]?.command);
  });

  it('a list offers its filters, with counts, as soon as its rows are there', async () => {
    const tab = await open();
    await tab.goto('/operators');
    await expect.poll(() => text(tab, '.filters'), PATIENCE).toContain('81 operators');
    await tab.page.getByLabel('Filter by status').selectOption({ label: 'failed (3)' });
    await expect.poll(() => text(tab, '.filters'), PATIENCE).toContain('3 operators');
  });

  it.each(['/operators', '/clusters'])(
    'a link to %s with an order that it does not have shows the list',
    async (path) => {
      const tab = await open();
      await tab.goto(`${path}?sort=-nonsense`);
      await expect.poll(() => tab.page.locator('.body-row').count(), PATIENCE).toBeGreaterThan(0);
      expect(await text(tab)).not.toContain('retried');
    },
  );

  it('task 3: one plan is approved in three clusters, and the one that changed is named', async () => {
    const tab = await open();
    await tab.goto('/approvals');
    await tab.page.getByRole('link', { name: /lamp/ }).first().click();
    await tab.page.getByRole('button', { name: 'Approve in 3 clusters…' }).click();
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain('changed meanwhile');
    expect(sent).toMatchObject({ verb: 'approve', planHash: HASH, by: 'local', targets: { length: 3 } });
    expect(await text(tab)).toContain('changed since the review');
  });

  it('a plan of what the fleet works is not offered for approval: the page says which rollouts decide', async () => {
    const tab = await open();
    await tab.goto('/approvals');
    await expect.poll(() => text(tab), PATIENCE).toContain('Decided by rollouts');
    expect(await text(tab)).toContain('fleets/mill');
    expect(await tab.page.getByRole('link', { name: /mill/ }).count()).toBe(0);
    await tab.goto('/clusters/eu-10/mills/subscriptions/mill');
    await expect.poll(() => text(tab), PATIENCE).toContain('rollouts of fleets/mill');
    expect(await tab.page.getByRole('link', { name: 'Review the plan' }).count()).toBe(0);
  });

  it.each([
    ['task 4: what can be installed', '/catalogs', 'samples'],
    ['task 6: a rollout with its clusters', '/rollouts/lamp@lamp.v1.1.0', 'lamp'],
    ['task 7: the health of a cluster', '/clusters/eu-01', 'harbor'],
    ['task 9: services, queues and sources of clusters', '/hub', 'eu-77 has no server'],
    ['task 9: receivers of notifications', '/hub', 'hooks.slack.example answers 500'],
    ['task 10: what changed, when and by whom', '/changes', 'jane@example.com'],
  ])('%s', async (_, path, shows) => {
    const tab = await open();
    await tab.goto(path);
    await expect.poll(() => text(tab), PATIENCE).toContain(shows);
  });

  it('task 4: a package shows what it is, from where, and how to install it', async () => {
    const tab = await open();
    await tab.goto('/catalogs');
    await tab.page.getByRole('link', { name: 'olm/samples' }).first().click();
    await tab.page.getByRole('link', { name: /Lamp/ }).click();
    for (const part of ['Example Ltd', 'What it does', 'Deep Insights', 'kind: Subscription'])
      await expect.poll(() => text(tab), PATIENCE).toContain(part);
    const image = 'document.querySelector("img.icon").naturalWidth > 0';
    await expect.poll(() => tab.page.evaluate(image), PATIENCE).toBe(true);
    await tab.page.getByRole('link', { name: 'Versions' }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain('Take the channel stable.');
  });

  it('task 5: the upgrade graph as a picture and in words, and arrows lead from line to line', async () => {
    const tab = await open();
    await tab.goto('/clusters/eu-01/lamps/subscriptions/lamp');
    await tab.page.getByRole('link', { name: 'Graph' }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain('lamp.v1.0.0 → lamp.v1.1.0 → lamp.v1.2.0');
    const lines = tab.page.locator('.picture .graph-line');
    expect(await lines.count()).toBe(3);
    expect(await tab.page.locator('.picture .line.on-way').count()).toBe(2);
    await tab.page.getByRole('button', { name: 'alpha' }).click();
    await expect.poll(() => lines.count(), PATIENCE).toBe(5);
    const focused = () => tab.page.evaluate('document.activeElement.dataset.box');
    await tab.page.locator('[data-box="stable lamp.v1.0.0"]').focus();
    await tab.page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('stable lamp.v1.1.0');
    await tab.page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('alpha lamp.v2.0.0');
    await tab.page.getByText('stable 3 entries').click();
    await expect.poll(() => text(tab, 'details[open] .reasons')).toContain('replaces lamp.v1.1.0');
  });

  it('a plan that failed is made anew by who may do that', async () => {
    const tab = await open();
    await tab.goto('/clusters/eu-01/harbors/subscriptions/harbor');
    await tab.page.getByRole('button', { name: 'Retry plan' }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain('done eu-01');
    const target = { cluster: 'eu-01', namespace: 'harbors', name: 'install-1' };
    expect(sent).toMatchObject({ verb: 'retry', planHash: FAILED_HASH, targets: [target] });
  });

  it('a ClusterExtension shows its revisions, and goes back to one of them', async () => {
    const [cluster, id] = [clusterName(31), 'extension/lantern'];
    const extension = { id, namespace: '', api: 'v1' } as const;
    run.view.write({ cluster, changed: [operatorRow(cluster, 'lantern', extension)], removed: [] });
    const tab = await open();
    await tab.goto(`/clusters/${cluster}/extensions/lantern`);
    await tab.page.getByLabel('Go back to').selectOption({ label: 'revision 1, 1.0.0' });
    expect(await tab.axe()).toEqual([]);
    await tab.page.getByRole('button', { name: 'Roll back' }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain(`done ${cluster}`);
    expect(sent).toMatchObject({ verb: 'roll-back', revision: 1, targets: [{ cluster, name: 'lantern' }] });
    run.view.write({ cluster, changed: [], removed: [id] });
  });

  it('task 6: a rollout of the fleet has its waves, what holds it, and the commands to decide', async () => {
    run.view.writeRollouts([harborRollout(clusterName(2))]);
    const tab = await open();
    await tab.goto('/rollouts');
    await tab.page.getByRole('link', { name: 'harbor → harbor.v1.1.0' }).click();
    for (const part of ['lab Soaking 12/12', 'rest Pending 0/88', '87 wait · not its turn'])
      await expect.poll(() => text(tab), PATIENCE).toContain(part);
    const shown = await text(tab);
    for (const part of [
      'took 25 min',
      'jane@example.com Promote wave lab CHG-7',
      'Skip eu-09 · without effect: not allowed <b>no</b>',
      'and 3 earlier decisions',
      'wave 1 of 2 (lab): soak',
      'Needs a decision 1 plan class for 88 clusters not approved. Review and approve.',
      'soaking, 1 h left',
      'error-rate green at most 0.01',
      'every 30s, 3 equal answers decide',
      '0 of 1 accepted',
      `deadline exceeded: no image in ${clusterName(2)} and 6 more`,
      'Plan class 3f9c 88 clusters · 2 steps step 1 of 2 harbor.v1.0.0 → harbor.v1.0.5 7 under way: ',
      `eu-14, eu-15 and 2 more 1 failed: ${clusterName(2)} step 2 of 2 harbor.v1.0.5 → harbor.v1.1.0 1 under`,
      'Plan class 77ab 12 clusters · 1 step step 1 of 1 new → harbor.v1.1.0',
      'and 2 classes of fewer clusters',
    ])
      expect(shown).toContain(part);
    // What applies now, and nothing else, with the reason that is typed.
    await tab.page.getByLabel('Reason').fill("it's fine");
    await expect.poll(() => text(tab), PATIENCE).toContain(`-n fleet --wave lab --reason 'it'\\''s fine'`);
    const commands = (await text(tab)).match(/flotilla fleet \S+/g);
    const verbs = ['approve', 'promote', 'retry', 'pause', 'abort', 'rollback', 'export', 'plan', 'status'];
    expect(commands).toEqual(verbs.map((verb) => `flotilla fleet ${verb}`));
    expect(await text(tab)).toContain('flotilla fleet approve harbor-3 -n fleet --class 3f9c --reason');
    expect(await tab.axe()).toEqual([]);
    run.view.writeRollouts([]);
    await expect.poll(() => text(tab), PATIENCE).toContain('no longer exists');
  });

  it('the operators that a filter leaves can be kept as a file, in which nothing is a formula', async () => {
    const cluster = clusterName(30);
    const named = operatorRow(cluster, 'lamp', { channel: '=cmd|calc', standing: 'blocked' });
    run.view.write({ cluster, changed: [named], removed: [] });
    const tab = await open();
    await tab.goto(`/operators?cluster=${cluster}&package=lamp`);
    const download = tab.page.waitForEvent('download');
    await tab.page.getByRole('button', { name: 'CSV' }).click();
    const [head = '', ...rows] = (await readFile(await (await download).path(), 'utf8')).split('\r\n');
    expect(head).toMatch(/^cluster,namespace,name,/);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain(`${cluster},lamps,lamp,classic,lamp,olm/samples,'=cmd|calc,`);
    run.view.write({ cluster, changed: [operatorRow(cluster, 'lamp')], removed: [] });
  });

  it('a cluster that is reached was seen now, however long nothing has changed in it', async () => {
    const tab = await open();
    await tab.goto('/clusters/eu-01');
    await expect.poll(() => text(tab), PATIENCE).toContain('Last answered now');
  });

  it('task 8: a desired state that cannot be met, as a picture and in words', async () => {
    const tab = await open();
    await tab.goto('/clusters/eu-01/harbors/subscriptions/harbor');
    await tab.page.getByRole('link', { name: 'Conflict', exact: true }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain('In words');
    expect(await tab.page.locator('.picture svg .box').count()).toBe(3);
    for (const { text: reason } of CONFLICT.conflict.children) expect(await text(tab, '.reasons')).toContain(reason);
  });

  it.each(PAGES)('%s has no findings of axe in light and dark', async (path) => {
    const tab = await open();
    await tab.goto(path);
    expect(await tab.axe()).toEqual([]);
  });

  it('with the keyboard alone: search, pages, rows, and a plan is approved', async () => {
    const tab = await open();
    const { keyboard } = tab.page;
    await keyboard.press('Tab');
    expect(await tab.page.evaluate('document.activeElement.textContent')).toMatch(/Skip/i);
    await keyboard.press('g');
    await keyboard.press('o');
    await expect.poll(() => heading(tab), PATIENCE).toContain('Operators');
    expect(await tab.page.evaluate('document.activeElement.tagName'), 'the focus follows').toBe('H1');
    await keyboard.press('/');
    await keyboard.type('eu-02');
    await tab.page.locator('#found-0').waitFor();
    await keyboard.press('Enter');
    await expect.poll(() => heading(tab), PATIENCE).toContain('eu-02');
    await keyboard.press('g');
    await keyboard.press('a');
    await expect.poll(() => heading(tab), PATIENCE).toContain('Approvals');
    await tabTo(tab, /^lamp/);
    await keyboard.press('Enter');
    await tabTo(tab, /^Approve in 3 clusters/);
    await keyboard.press('Enter');
    await tabTo(tab, /^Approve$/);
    await keyboard.press('Enter');
    await expect.poll(() => text(tab), PATIENCE).toContain('changed meanwhile');
  });

  it('with the keyboard alone: j and k go through rows of every kind, x ticks, and a column is sorted', async () => {
    const tab = await open();
    const { keyboard } = tab.page;
    const focused = async () => String(await tab.page.evaluate('document.activeElement.textContent'));
    await keyboard.press('j');
    expect(await focused()).toContain('CRD lamps.example.com refused');
    await keyboard.press('j');
    expect(await focused()).toContain('TRANSIENT_FAILURE');
    await keyboard.press('k');
    await keyboard.press('Enter');
    await expect.poll(() => heading(tab), PATIENCE).toBe('Operators');
    await tabTo(tab, /^Cluster$/);
    await keyboard.press('Enter');
    await expect.poll(() => tab.page.url(), PATIENCE).toContain('sort=cluster');
    await expect.poll(focused, PATIENCE).toBe('Cluster');
    const sorted = '[role=columnheader][aria-sort=ascending]';
    await expect.poll(() => text(tab, sorted), PATIENCE).toBe('Cluster');
    await keyboard.press('j');
    await expect.poll(focused, PATIENCE).toContain('eu-01');
    await keyboard.press('Enter');
    await expect.poll(() => heading(tab), PATIENCE).toContain('harbor');
    await tab.goto(`/approvals/${HASH}`);
    await tab.page.getByRole('button', { name: 'Approve in 3 clusters…' }).waitFor();
    await keyboard.press('j');
    await keyboard.press('j');
    await keyboard.press('x');
    await tab.page.getByRole('button', { name: 'Approve in 2 clusters…' }).waitFor();
  });

  /** Presses Tab until what has the focus has this text. */
  async function tabTo(tab: ConsoleTab, wanted: RegExp): Promise<void> {
    await expect
      .poll(async () => {
        await tab.page.keyboard.press('Tab');
        return String(
          await tab.page.evaluate(
            'document.activeElement.closest("main, dialog") ? document.activeElement.textContent.trim() : ""',
          ),
        );
      }, PATIENCE)
      .toMatch(wanted);
  }

  it('rows change in place while a page is open, over one stream for eight tabs', async () => {
    const tab = await open();
    await tab.goto('/operators?cluster=eu-40');
    const others = await Promise.all(Array.from({ length: 7 }, () => tab.page.context().newPage()));
    for (const other of others) await other.goto(new URL('/', run.service.origin).href);
    for (const other of others) await other.locator('main h1').waitFor();
    const cluster = clusterName(39);
    run.view.write({ cluster, changed: [operatorRow(cluster, 'harbor', { standing: 'blocked' })], removed: [] });
    await expect.poll(() => text(tab), PATIENCE).toContain('blocked');
    // The server hears of a stream that a page left after it was left.
    await expect.poll(() => run.service.streams, PATIENCE).toBe(1);
  });

  it('works on a phone: a plan is approved at 390 pixels, without scrolling sideways', async () => {
    const tab = await open({ width: 390 });
    await tab.goto(`/approvals/${HASH}`);
    expect(await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await tab.page.getByRole('button', { name: 'Approve in 3 clusters…' }).click();
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => text(tab), PATIENCE).toContain('changed meanwhile');
  });
});
