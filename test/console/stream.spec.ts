import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PolicyModel } from '#core/view/rights/console-policy';
import type { OperatorRow } from '#core/view/rows/rows';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { operatorRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { byName, ConsoleTab, chromiumNeed, launchChromium, openPages, type TabOptions } from './browser.js';
import { clusterName, fillFleet } from './fleet-rows.js';

const POLICY = PolicyModel.parse({ grants: [{ users: ['ann'], role: 'admin', clusters: ['*'] }] });
const CLUSTER = clusterName(30);
/** What must be on the page so soon after a computer woke up, in milliseconds of its time. */
const FRESH = 3_000;
const FRESH_PAGE = / live · .* blocked /;
const STEP = 100;
const MINUTE = 60_000;

describe('a page that stays open', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let network: TcpProxy;
  let browser: Browser;
  let tab: ConsoleTab;
  let isOver = false;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  beforeEach(async () => {
    isOver = false;
    run = await openPages({ signIns: [byName(POLICY, () => isOver)] });
    fillFleet(run.view);
    network = await startTcpProxy({ host: '127.0.0.1', port: run.port });
  });
  afterEach(async () => {
    await tab?.close();
    await network?.stop();
    await run?.service.stop();
  });
  afterAll(() => browser?.close());

  /** By way of the network that a test disturbs. */
  async function open(path: string, options: TabOptions = {}): Promise<void> {
    const link = new URL(run.service.link);
    link.port = String(network.port);
    tab = await ConsoleTab.open(browser, link.href, { ...options, ownTime: true });
    await tab.goto(path);
    await expect.poll(() => text('.live-mark'), PATIENCE).toMatch(/^live/);
    await tab.page.evaluate('window.isSame = true');
  }
  const text = (at?: string) => tab.text(at);
  const change = (name: string, more: Partial<OperatorRow>) =>
    run.view.write({ cluster: CLUSTER, changed: [operatorRow(CLUSTER, name, more)], removed: [] });
  const expectSame = async () => expect(await tab.page.evaluate('window.isSame'), 'not loaded anew').toBe(true);
  const listed = `/operators?cluster=${CLUSTER}`;

  it('9: shows what changes in a cluster: a status, a new operator, one that is gone', async () => {
    await open(listed);
    await expect.poll(() => text('.filters'), PATIENCE).toContain('2 operators');
    change('harbor', { standing: 'under-way', next: 'harbor.v1.1.0' });
    await expect.poll(() => text(), PATIENCE).toMatch(/under way.* → 1\.1\.0/);
    change('mill', {});
    await expect.poll(() => text('.filters'), PATIENCE).toContain('3 operators');
    expect(await text()).toContain('mill');
    run.view.write({ cluster: CLUSTER, changed: [], removed: ['subscription/mills/mill'] });
    await expect.poll(() => text('.filters'), PATIENCE).toContain('2 operators');
    await expectSame();
    expect(tab.troubles).toEqual([]);
  });

  it('9: shows what changed between its first answers and the begin of its stream', async () => {
    const isHeld = Promise.withResolvers<void>();
    tab = await ConsoleTab.open(browser, run.service.link);
    await tab.page.route('**/api/v1/events', async (route) => {
      await isHeld.promise;
      await route.continue();
    });
    await tab.goto(listed);
    await expect.poll(() => text('.filters'), PATIENCE).toContain('2 operators');
    const other = await run.get('/api/v1/events');
    change('harbor', { standing: 'blocked' });
    await reported(other, 'blocked');
    expect(await text()).not.toContain('blocked');
    isHeld.resolve();
    await expect.poll(() => text(), PATIENCE).toContain('blocked');
    expect(tab.troubles).toEqual([]);
  });

  /** Reads a stream until it has reported this. */
  async function reported({ body }: Response, what: string): Promise<void> {
    let said = '';
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      said += part;
      if (said.includes(what)) return;
    }
  }

  it('9: asks once more for a list whose answer was on its way when something changed', async () => {
    const isHeld = Promise.withResolvers<void>();
    let answers = 0;
    await open(listed);
    await tab.page.route('**/api/v1/operators?*', async (route) => {
      const response = await route.fetch();
      answers += 1;
      if (answers === 1) await isHeld.promise;
      await route.fulfill({ response });
    });
    const answered = async () => {
      await text();
      return answers;
    };
    change('harbor', { standing: 'under-way', next: 'harbor.v1.1.0' });
    await expect.poll(answered, PATIENCE).toBe(1);
    change('harbor', { standing: 'blocked' });
    await expect.poll(() => text(), PATIENCE).toContain('blocked');
    await tab.page.clock.runFor(5_000);
    isHeld.resolve();
    await expect.poll(answered, PATIENCE).toBe(2);
    await tab.settled();
    expect(await text()).toContain('blocked');
    expect(tab.troubles).toEqual([]);
  });

  it('9: says that its stream is lost, keeps what it has, and catches up when it is back', async () => {
    await open(listed);
    network.refuse();
    await expect.poll(() => text('.live-mark'), PATIENCE).toContain('not live');
    expect(await text()).toContain('harbor');
    change('harbor', { standing: 'blocked' });
    network.resume();
    await expect.poll(() => text(), PATIENCE).toContain('blocked');
    await expect.poll(() => text('.live-mark'), PATIENCE).toMatch(/^live/);
    await expectSame();
  });

  it('13: says that the hub fills up again, on pages that were open before, and then that it has', async () => {
    await open('/');
    await expect.poll(() => text(), PATIENCE).toContain('3 operators failed');
    const other = await tab.page.context().newPage();
    await other.goto(new URL(listed, tab.page.url()).href);
    await other.getByText('2 operators').waitFor();
    run.view.empty();
    const partly = 'The hub is filling up again: 0 of 40 clusters';
    await expect.poll(() => text(), PATIENCE).toContain(partly);
    // Nothing is taken for gone before it is known.
    expect(await text()).toContain('3 operators failed');
    await other.getByText(partly).waitFor();
    expect((await other.locator('main').innerText()).replaceAll(/\s+/g, ' ')).toContain('2 operators');
    fillFleet(run.view);
    change('harbor', { standing: 'blocked' });
    await expect.poll(() => text(), PATIENCE).not.toContain('filling up');
    await expect.poll(() => text(), PATIENCE).toContain('2 operators blocked');
    await other.getByText('filling up').waitFor({ state: 'detached' });
    await expectSame();
    expect(tab.troubles).toEqual([]);
  });

  it('16: asks for a sign-in when its session is over, and asks the server nothing more', async () => {
    const asked: string[] = [];
    await open('/operators', { as: 'ann' });
    const refused = tab.page.waitForResponse((response) => response.status() === 401);
    isOver = true;
    await tab.page.getByRole('link', { name: 'Approvals' }).first().click();
    await refused;
    await expect.poll(() => text('h1'), PATIENCE).toBe('Sign in');
    await tab.settled();
    tab.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    for (let minute = 0; minute < 10; minute += 1) await tab.page.clock.fastForward(MINUTE);
    await tab.page.clock.fastForward(10 * MINUTE);
    await tab.settled();
    expect(asked).toEqual([]);
    expect(await tab.axe()).toEqual([]);
  });

  it.each(['in a list', 'on a page of one operator'])(
    `17: is fresh ${FRESH / 1_000} s after its computer slept for ten minutes, %s`,
    async (where) => {
      await open(where === 'in a list' ? listed : `/clusters/${CLUSTER}/harbors/subscriptions/harbor`);
      const { clock } = tab.page;
      await tab.settled();
      const before = network.connections();
      // One connection is left, that of the stream; it is dead, and nothing says so.
      network.cut();
      await expect.poll(() => network.connections(), PATIENCE).toBeGreaterThan(before);
      await expect.poll(() => text('.live-mark'), PATIENCE).toMatch(/^live/);
      const now = Number(await tab.page.evaluate('Date.now()'));
      await clock.pauseAt(now + 20_000);
      network.lose();
      change('harbor', { standing: 'blocked' });
      await clock.setSystemTime(now + 10 * MINUTE);
      let awake = 0;
      const shown = async () => (await tab.page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
      for (; awake < FRESH && !FRESH_PAGE.test(await shown()); awake += STEP) {
        await clock.runFor(STEP);
        await tab.answered();
      }
      expect(await shown()).toMatch(FRESH_PAGE);
    },
  );
});
