import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import {
  catalogRow,
  clusterRow,
  operatorRow,
  planRow,
  type RunningConsole,
} from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { catalogAnswer, chain, heldPackage } from './catalog-content.js';

const SCRIPT = '<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>';
const LINK = 'javascript:alert(4)';
const RTL = 'lamp\u202Egpj.exe\u202C\u200B\u2066';
const HUGE = 'x'.repeat(1_000);

/** What a catalog, a cluster and its users can bring into rows, at its worst. */
function fillHostile(run: RunningConsole): void {
  const cause = {
    code: 'plan-failed',
    kind: SCRIPT,
    names: [SCRIPT, LINK, HUGE],
    text: `${SCRIPT} [x](${LINK})`.slice(0, 200),
  };
  const names = [SCRIPT, LINK, RTL, HUGE];
  names.forEach((name, index) => {
    const cluster = index === 0 ? `east ${SCRIPT}` : `east-${index} ${RTL}`;
    const operator = operatorRow(cluster, 'lamp', {
      ...{
        id: `subscription/lamps/${name}`,
        name,
        package: name,
        channel: name,
        catalog: name,
        cause,
        standing: 'failed',
      },
      ...{ installed: name, newest: name, next: name, version: SCRIPT },
    });
    const plan = planRow(cluster, 'lamp', SCRIPT, { moves: [{ package: name, from: name, to: name }] });
    const catalog = { ...catalogRow(cluster, `sha256:${'a'.repeat(64)}`), name, image: LINK, message: SCRIPT } as never;
    const labels = { [SCRIPT]: SCRIPT };
    run.view.write({
      cluster,
      changed: [clusterRow(cluster, { cause, standing: 'failed', labels }), operator, plan, catalog],
      removed: [],
    });
  });
  run.view.writeHistory([
    {
      ...{
        at: '2026-11-26T10:41:00Z',
        kind: 'version',
        cluster: `east ${SCRIPT}`,
        row: 'r',
        namespace: SCRIPT,
        package: RTL,
      },
      ...{ from: LINK, to: SCRIPT, by: SCRIPT, comment: SCRIPT },
    },
  ]);
}

/** A content at its worst: 5 MB of text, links and images that would run or call elsewhere. */
const HTML = `${SCRIPT}\n\n[${SCRIPT}](${LINK}) ![x](https://elsewhere.example.com/x.png) ${HUGE}\n\n> ${RTL}\n\n`;
const LOOK = { title: SCRIPT, provider: RTL, summary: HUGE, category: SCRIPT, color: 'red' };
const evilCsv = (icon: string) => ({
  metadata: {
    name: SCRIPT,
    annotations: { categories: SCRIPT, description: HUGE, repository: LINK, containerImage: HUGE },
  },
  spec: {
    ...{ displayName: SCRIPT, description: HTML + 'x'.repeat(5_000_000), provider: { name: RTL }, keywords: [SCRIPT] },
    links: [{ name: SCRIPT, url: LINK }],
    icon: [{ base64data: Buffer.from(icon).toString('base64'), mediatype: 'text/html' }],
  },
});
const EVIL_ICON = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(5)"><script>alert(6)</script></svg>`;
const evilRecord = (name: string) => ({
  ...{ name, defaultChannel: SCRIPT, deprecation: SCRIPT },
  entries: [...chain(name, SCRIPT, '1.0.0', '1.1.0'), ...chain(name, HUGE, '1.0.0')],
});
const CONTENT = [SCRIPT, RTL, HUGE].map((name) => ({
  ...heldPackage(evilRecord(name), LOOK),
  csv: evilCsv(EVIL_ICON),
  icon: createHash('sha256').update(EVIL_ICON).digest('hex'),
}));
const ID = 'a'.repeat(16);

const difference = { section: 'images', risk: true, sign: '+', what: SCRIPT, text: LINK, lines: [SCRIPT, RTL, HUGE] };
const others = [SCRIPT, RTL, HUGE].map((name) => ({ namespace: name, name, role: 'owner' }));
const touches = [SCRIPT, RTL, HUGE].map((name) => ({ bundle: name, name, change: 'changed', others, more: 3 }));
const REVIEW = { differences: [difference], unchanged: 0, hash: SCRIPT, waits: true, touches };
/** A cluster that answers questions with the same. */
const asker: QuestionAsker = {
  ask: async (question) => {
    if ('digest' in question) return catalogAnswer(CONTENT, question);
    const { ask } = question;
    if (ask === 'review') return { answer: REVIEW };
    if (ask === 'object') return { answer: { yaml: `${SCRIPT}\n${HUGE}`, cut: false } };
    if (ask === 'events') return { because: 'failed', message: SCRIPT };
    const conflict = { text: SCRIPT, role: 'desired', edge: RTL, children: [] };
    return { answer: { because: [SCRIPT, HUGE], advice: [{ text: SCRIPT, command: HUGE }], conflict } };
  },
};

describe('what catalogs and clusters write', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages({ asker });
    fillHostile(run);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const part = encodeURIComponent;
  it.each([
    ...['/', '/clusters', '/clusters?view=map', '/operators', '/approvals', '/catalogs', '/changes', '/rollouts'],
    `/clusters?view=map&columns=-&rows=${part(SCRIPT)}`,
    `/approvals/together?class=${part(SCRIPT)},${part(HUGE)}`,
    `/clusters/${part(`east ${SCRIPT}`)}`,
    ...[`/operators/${part(SCRIPT)}`, `/approvals/${part(SCRIPT)}`, `/operators?q=${part(SCRIPT)}`],
    `/catalogs/${ID}`,
    ...['', '?view=versions', '?view=graph'].map((view) => `/catalogs/${ID}/packages/${part(SCRIPT)}${view}`),
    `/clusters/${part(`east ${SCRIPT}`)}/lamps/subscriptions/${part(SCRIPT)}`,
  ])('runs nothing, leads nowhere and holds the layout on %s', async (path) => {
    await tab.goto(path);
    expect(tab.troubles).toEqual([]);
    const found = `[...document.querySelectorAll('main a[href], main img, main script, main iframe, main object')]
      .filter((one) => new URL(one.href ?? one.src ?? 'x:').origin !== location.origin).map((one) => one.outerHTML)`;
    expect(await tab.page.evaluate(found)).toEqual([]);
    const tooWide = await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(tooWide, 'pixels that are scrolled sideways').toBeLessThanOrEqual(0);
  });

  it.each([['script'], ['gpj'], ['xxxxx'], ['alert']])(
    'runs nothing among the hits of a search for %s',
    async (words) => {
      await tab.goto('/');
      await tab.page.locator('#search').fill(words);
      const hits = tab.page.locator('#search-found [role=option]');
      await expect.poll(() => hits.count(), PATIENCE).toBeGreaterThan(0);
      const shown = (await hits.allInnerTexts()).join('\n');
      expect(shown).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
      const addresses = `[...document.querySelectorAll('#search-found a')].map((one) => one.href)`;
      for (const address of (await tab.page.evaluate(addresses)) as string[])
        expect(new URL(address).origin).toBe(run.service.origin);
      await tab.page.keyboard.press('Enter');
      await expect.poll(() => hits.count(), PATIENCE).toBe(0);
      await tab.page.locator('main h1').first().waitFor();
      expect(new URL(tab.page.url()).origin).toBe(run.service.origin);
      expect(tab.troubles).toEqual([]);
    },
  );

  it('runs nothing of an icon that is opened as a page, and gives it no origin', async () => {
    await tab.goto(`/catalogs/${ID}`);
    const icon = tab.page.locator('main img.icon').first();
    await icon.waitFor();
    const address = new URL((await icon.getAttribute('src')) ?? '', run.service.origin).href;
    expect(new URL(address).pathname).toMatch(/^\/icons\//);
    const alone = await tab.page.context().newPage();
    const dialogs: string[] = [];
    alone.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const reply = await alone.goto(address);
    expect([reply?.status(), reply?.headers()['x-frame-options']]).toEqual([200, 'DENY']);
    expect(await alone.evaluate('document.documentElement.localName + " " + origin')).toBe('svg null');
    await alone.waitForLoadState('load');
    expect(dialogs).toEqual([]);
    await alone.close();
    expect(tab.troubles).toEqual([]);
  });

  it('shows characters that turn or hide text as what they are', async () => {
    await tab.goto('/operators');
    const shown = async () => String(await tab.page.evaluate('document.querySelector("main").textContent'));
    await expect.poll(shown, PATIENCE).toContain('lamp⟨202E⟩gpj.exe⟨202C⟩⟨200B⟩⟨2066⟩');
    expect(await shown()).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
  });
});
