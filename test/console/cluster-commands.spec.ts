import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterRow } from '#core/view/rows/rows';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import * as fixture from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';

/** A login of the kubeconfig under another name, and one in a Secret of the hub, which no person has. */
const [NAMED, SECRET] = ['store-1', 'store-2'] as const;
const CONTEXT = 'admin@store 1';
const AWAY: Partial<ClusterRow> = {
  ...{ reach: 'away', standing: 'failed' },
  cause: { code: 'cluster-away', kind: 'Cluster', names: [], text: 'no route to host' },
};
const GET = '-n mills get subscription mill -o yaml';

describe('the commands that pages make for one cluster', needing(chromiumNeed), () => {
  let run: fixture.RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  let isAway = false;
  const asker: QuestionAsker = {
    ask: async ({ ask }) => {
      if (isAway) return { because: 'away', message: 'it did not answer' };
      if (ask === 'object') return { answer: { yaml: 'kind: Subscription\n', cut: true } };
      return { answer: { because: [], advice: [] } };
    },
  };
  beforeAll(async () => {
    run = await openPages({ asker });
    put({});
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterEach(() => {
    isAway = false;
    const own = /^Failed to load resource: .* 504/;
    expect(tab.troubles.splice(0).filter((line) => !own.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  function put(more: Partial<ClusterRow>): void {
    for (const cluster of [NAMED, SECRET]) {
      const { context: _none, ...row } = fixture.clusterRow(cluster, more);
      const own = cluster === NAMED ? { ...row, context: CONTEXT } : row;
      run.view.write({ cluster, changed: [own, fixture.operatorRow(cluster, 'mill')], removed: [] });
    }
  }
  const commands = async () => tab.page.locator('pre[aria-label="Command"], .advice pre, .notice pre').allInnerTexts();
  async function shown(path: string, text: string | RegExp): Promise<readonly string[]> {
    await tab.goto(path);
    await expect.poll(() => tab.text(), PATIENCE).toMatch(text);
    await tab.settled();
    expect(await tab.axe()).toEqual([]);
    return (await commands()).map((one) => one.trim());
  }
  const at = (cluster: string) => `/clusters/${cluster}/mills/subscriptions/mill`;

  it('read an object of which a page shows the beginning', async () => {
    expect(await shown(`${at(NAMED)}?view=object`, 'its end is left out')).toEqual([
      `kubectl --context '${CONTEXT}' ${GET}`,
    ]);
    const words = /With your own rights and the hidden fields, with a login to cluster store-2 in FILE\./;
    expect(await shown(`${at(SECRET)}?view=object`, words)).toEqual([`kubectl --kubeconfig FILE ${GET}`]);
  });

  it('ask a cluster that did not answer the hub', async () => {
    isAway = true;
    expect(await shown(`${at(NAMED)}?view=object`, 'did not answer')).toEqual([
      `kubectl --context '${CONTEXT}' ${GET}`,
    ]);
    expect(await shown(at(NAMED), 'did not answer')).toEqual([
      `flotilla explain subscription mill -n mills -C ${NAMED}`,
    ]);
    const words = 'With your own rights, with a login to cluster store-2 in FILE.';
    const command = 'flotilla explain subscription mill -n mills --kubeconfig FILE';
    expect(await shown(at(SECRET), words)).toEqual([command]);
  });

  it('look for the cause where a cluster is away', async () => {
    put(AWAY);
    expect(await shown(`/clusters/${NAMED}`, /kubeconfig of the hub.*are in the kubeconfig of the hub/)).toEqual([
      `flotilla clusters check -C ${NAMED}`,
    ]);
    const words = /with a login to cluster store-2 in FILE\..*, or in the Secret of its FleetCluster/;
    expect(await shown(`/clusters/${SECRET}`, words)).toEqual(['flotilla clusters check --kubeconfig FILE']);
  });

  it('check a hand-over from OLM', async () => {
    put({ reach: 'left-to-olm' });
    expect(await shown(`/clusters/${NAMED}`, 'Show the steps of a hand-over from OLM:')).toEqual([
      `flotilla clusters handover ${NAMED} --context '${CONTEXT}' --from olm --dry-run`,
    ]);
    expect(await shown(`/clusters/${SECRET}`, 'with a login to cluster store-2 in FILE')).toEqual([
      `flotilla clusters handover ${SECRET} --kubeconfig FILE --from olm --dry-run`,
    ]);
  });
});
