import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_TEXTS, hostileAssessment } from '#core/cluster/assessment/hostile-assessment.fixture';
import { needing } from '#testing/report/needs';
import { chromiumNeed, launchChromium, openContext } from './browser.js';

describe('the page of flotilla assess with hostile names', needing(chromiumNeed), () => {
  let browser: Browser;
  let server: Server;
  let html = '';
  beforeAll(async () => {
    browser = await launchChromium();
    // Without a policy of its server: the file is opened from a disk.
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it.each(HOSTILE_TEXTS)('runs nothing, asks nothing and leads nowhere: %j', async (text) => {
    html = hostileAssessment(text);
    const context = await openContext(browser, {});
    const page = await context.newPage();
    const [troubles, requests]: [string[], string[]] = [[], []];
    page.on('dialog', (dialog) => {
      troubles.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await page.goto(address);
    await page.waitForLoadState('load');
    const found = `[...document.querySelectorAll('script, img, iframe, object, embed, link, base, form, a, foreignObject, animate, set')]
      .concat([...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => /^on|href|src|style/.test(name))))
      .map((one) => one.outerHTML.slice(0, 200))`;
    expect(await page.evaluate(found)).toEqual([]);
    expect(troubles).toEqual([]);
    expect(requests.filter((one) => !one.endsWith('/favicon.ico'))).toEqual([address]);
    await context.close();
  });
});
