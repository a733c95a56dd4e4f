import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleAction } from '#core/view/actions/console-action';
import { PolicyModel } from '#core/view/rights/console-policy';
import type { ActionSender } from '#platform/console/action-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { byName, ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { fillFleet, HASH } from './fleet-rows.js';

const POLICY = PolicyModel.parse({ grants: [{ users: ['ann'], role: 'admin', clusters: ['*'] }] });
const APPROVAL = {
  ...{ verb: 'approve', planHash: HASH },
  targets: [{ cluster: 'eu-04', namespace: 'lamps', name: 'install-1' }],
};

/** What a page of another site tries with the cookies of a person who is signed in to the console. */
const ATTACKS = (origin: string) => `<!doctype html><title>other</title>
<form id="form" method="post" enctype="text/plain" action="${origin}/api/v1/actions" target="end">
<input name='${JSON.stringify(APPROVAL).slice(0, -1)},"x":"' value='"}'></form><iframe name="end"></iframe>`;

describe('the console in a browser that also has hostile pages', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let other: Server;
  let browser: Browser;
  let tab: ConsoleTab;
  let context: BrowserContext;
  let evil: Page;
  let sent: ConsoleAction | undefined;
  /** How often the hostile server was asked. */
  let reached = 0;
  const sender: ActionSender = {
    send: async (action) => {
      sent = action;
      return action.id;
    },
    find: async () => sent,
    results: async () => [],
  };
  beforeAll(async () => {
    run = await openPages({ sender, signIns: [byName(POLICY)] });
    fillFleet(run.view);
    other = createServer(({ url }, response) => {
      // For its own pages the browser asks whenever it likes.
      if (url !== '/favicon.ico') reached += 1;
      response.writeHead(200, { 'content-type': 'text/html' }).end(ATTACKS(run.service.origin));
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link, { as: 'ann' });
    context = tab.page.context();
  });
  afterAll(async () => {
    await browser?.close();
    other?.close();
    await run?.service.stop();
  });
  beforeEach(async () => {
    await evil?.close();
    evil = await context.newPage();
  });
  /** Of another site; and of the same site at another port, to which cookies of the console go, too. */
  const HOSTS = ['localhost', '127.0.0.1'];
  const openEvil = (host: string) => evil.goto(`http://${host}:${(other.address() as AddressInfo).port}/`);
  /** What a request of the other page ended with: the text that it could read, or the failure. */
  const tried = (path: string, init: object): Promise<string> =>
    evil.evaluate(
      `fetch(${JSON.stringify(run.service.origin + path)}, ${JSON.stringify({ credentials: 'include', ...init })})
        .then((answer) => answer.text().then((text) => answer.type + ' ' + text), (error) => error.name)`,
    );

  it.each(HOSTS)('21: a page of %s reads no answer, by request, script or picture', async (host) => {
    await openEvil(host);
    expect(await tried('/api/v1/operators', {})).toBe('TypeError');
    expect(await tried('/api/v1/me', { mode: 'no-cors' })).not.toMatch(/ann|token/);
    for (const [tag, path] of [
      ['script', '/api/v1/operators'],
      ['img', '/icon.svg'],
    ]) {
      const load = `new Promise((end) => {
        const one = document.createElement('${tag}');
        one.onload = () => end('loaded');
        one.onerror = () => end('refused');
        one.src = '${run.service.origin}${path}';
        document.body.append(one);
      })`;
      const outcome = await evil.evaluate(load);
      // CORP lets pages of the same site embed pictures; an answer of the API is no script for either.
      if (tag === 'script' || host === 'localhost') expect([tag, outcome]).toEqual([tag, 'refused']);
    }
  });

  it.each(HOSTS)('21: a page of %s writes nothing, by request, simple request or form', async (host) => {
    await openEvil(host);
    const json = { 'content-type': 'application/json', 'idempotency-key': 'from-elsewhere' };
    expect(await tried('/api/v1/actions', { method: 'POST', headers: json, body: JSON.stringify(APPROVAL) })).toBe(
      'TypeError',
    );
    await tried('/api/v1/actions', { method: 'POST', mode: 'no-cors', body: JSON.stringify(APPROVAL) });
    const answered = evil.waitForResponse((response) => response.url().endsWith('/api/v1/actions'));
    await evil.evaluate('document.getElementById("form").submit()');
    expect((await answered).status()).toBeGreaterThanOrEqual(400);
    expect(sent).toBeUndefined();
  });

  it.each(HOSTS)('21: a page of %s shows the console in no frame, and cannot reach it in a window', async (host) => {
    await openEvil(host);
    await evil.evaluate(`document.querySelector('iframe').src = '${run.service.origin}/'`);
    await expect.poll(() => evil.frames().at(-1)?.url(), PATIENCE).toMatch(/^chrome-error:/);
    const opened = context.waitForEvent('page');
    await evil.evaluate(`window.other = open('${run.service.origin}/'); undefined`);
    const window = await opened;
    await window.locator('main h1').first().waitFor();
    expect(await window.evaluate('window.opener === null'), 'the console knows no opener').toBe(true);
    const isLost = () => evil.evaluate('window.other.closed');
    await expect.poll(isLost, { ...PATIENCE, message: 'its opener has lost it' }).toBe(true);
    await window.close();
  });

  it('18: what would get into a page runs nothing and calls nowhere: scripts, styles, handlers, other origins', async () => {
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const before = { troubles: tab.troubles.length, reached };
    const outcomes = await tab.page.evaluate(`(async () => {
      // What a debugger runs may use eval; what runs later may not.
      await new Promise((later) => setTimeout(later));
      const refused = (run) => { try { run(); return 'ran'; } catch (error) { return error.name; } };
      const add = (tag, attributes) => new Promise((end) => {
        const one = Object.assign(document.createElement(tag), attributes);
        one.onload = () => end('loaded');
        one.onerror = () => end('refused');
        document.body.append(one);
      });
      return {
        html: refused(() => { document.body.innerHTML = '<b>x</b>'; }),
        eval: refused(() => eval('1')),
        handler: refused(() => document.body.setAttribute('onclick', 'window.ran = true')),
        script: refused(() => { document.createElement('script').text = 'window.ran = true'; }),
        picture: await add('img', { src: ${JSON.stringify(elsewhere)} }),
        style: await add('link', { rel: 'stylesheet', href: ${JSON.stringify(elsewhere)} }),
        request: await fetch(${JSON.stringify(elsewhere)}).then(() => 'sent', (error) => error.name),
        policy: refused(() => trustedTypes.createPolicy('mine', { createHTML: (text) => text })),
        ran: window.ran ?? 'nothing',
      };
    })()`);
    const [refused, failed] = ['refused', 'TypeError'];
    expect(outcomes).toEqual({
      ...{ html: failed, eval: 'EvalError', handler: failed, script: failed, policy: failed },
      ...{ picture: refused, style: refused, request: failed, ran: 'nothing' },
    });
    await expect.poll(() => tab.troubles.slice(before.troubles).join('\n'), PATIENCE).toContain('CSP: ');
    expect(reached).toBe(before.reached);
  });

  it('1: the key of a link is in no address that the browser keeps, and no cookie is set for it', async () => {
    const own = await ConsoleTab.open(browser, run.service.link);
    await own.goto('/operators');
    await own.page.goBack();
    await own.page.goBack().catch(() => undefined);
    await own.page.goForward();
    expect(own.page.url()).not.toContain('key');
    expect(String(await own.page.evaluate('document.referrer + document.cookie'))).not.toContain(run.key);
    expect(await own.page.context().cookies()).toEqual([]);
    await own.close();
  });
});
