import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorRow, ViewRow } from '#core/view/rows/rows';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import * as fixture from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { clusterName, HASH } from './fleet-rows.js';

const SIZE = 30;
const [FROM, TO] = ['lamp.v1.0.0', 'lamp.v1.1.0'];
const CAUSE = { code: 'plan-failed', kind: 'InstallPlan', names: ['lamp'], text: 'no room for lamp 1.1.0' };

type Place = 'waits' | 'moves' | 'failed' | 'done';
const OPERATOR: Readonly<Record<Place, Partial<OperatorRow>>> = {
  waits: { standing: 'needs-approval', next: TO, plan: 'install-1', planHash: HASH },
  moves: { standing: 'under-way', next: TO },
  failed: { standing: 'failed', next: TO, cause: CAUSE },
  done: { installed: TO, version: '1.1.0', newest: TO },
};
const rowsOf = (cluster: string, place: Place): ViewRow[] => [
  fixture.clusterRow(cluster),
  fixture.operatorRow(cluster, 'lamp', { installed: FROM, newest: TO, ...OPERATOR[place] }),
  ...(place === 'waits' ? [fixture.planRow(cluster, 'lamp', HASH)] : []),
];

describe(`a rollout of ${SIZE} clusters`, needing(chromiumNeed), () => {
  let run: fixture.RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  beforeAll(async () => {
    run = await openPages();
    put('waits', 0, SIZE);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link, { ownTime: true });
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  function put(place: Place, first: number, end: number): void {
    for (let at = first; at < end; at += 1)
      run.view.write({
        ...{ cluster: clusterName(at), changed: rowsOf(clusterName(at), place) },
        removed: place === 'waits' ? [] : ['plan/lamps/install-1'],
      });
  }
  const text = () => tab.text();
  const shows = (part: string | RegExp) => expect.poll(text, PATIENCE).toMatch(part);

  it('12 and 13: is followed to its end on one page, which is not loaded anew, while Redis is emptied on the way', async () => {
    await tab.goto(`/rollouts/lamp@${TO}`);
    await shows(/0\/30.*30 wait/);
    await tab.page.evaluate('window.isSame = true');
    put('moves', 0, 20);
    await shows(/0\/30.*20 under way.*10 wait/);
    put('done', 0, 12);
    put('failed', 12, 13);
    await shows(/12\/30.*7 under way.*1 failed.*no room for lamp 1\.1\.0 in eu-13/);
    run.view.empty();
    await shows('The hub is filling up again: 0 of 30 clusters');
    await shows(/12\/30/);
    put('done', 0, 14);
    await shows('The hub is filling up again: 14 of 30 clusters');
    await shows(/12\/30/);
    put('waits', 14, SIZE);
    await shows(/14\/30.*16 wait/);
    await expect.poll(text, PATIENCE).not.toContain('filling up');
    put('done', 14, SIZE);
    await shows(`lamp.v1.1.0 runs in 30 clusters`);
    expect(await text()).not.toContain('not known any more');
    expect(await tab.page.evaluate('window.isSame'), 'not loaded anew').toBe(true);
    expect(await tab.axe()).toEqual([]);
    expect(tab.troubles).toEqual([]);
  });
});
