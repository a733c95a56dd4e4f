import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adviceParts } from '#core/cluster/advice/advice-parts';
import { commandIn, contextAccess } from '#core/cluster/advice/command-in';
import { diagnoseSubscription } from '#core/cluster/diagnosis/diagnose-subscription';
import { csv, group, plan, source, state } from '#core/cluster/diagnosis/diagnosis.fixture';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { liveText } from '../../apps/cli/src/commands/explain/explain-live.js';
import * as fixture from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';

const REFUSED = 'CRD lamps.example.com: v1 would no longer be served';
/** To mill.v2, whose InstallPlan failed before it made anything. */
const SUBSCRIPTION = {
  ...SUBSCRIPTION_API,
  metadata: { name: 'mill', namespace: 'mills' },
  spec: { name: 'mill', source: 'c', sourceNamespace: 'olm' },
  status: { installedCSV: 'mill.v1', currentCSV: 'mill.v2', installPlanRef: { name: 'install-1' } },
};
const FOUND = diagnoseSubscription(SUBSCRIPTION, {
  ...{ operatorGroups: [group()], catalogSources: [source(state('READY'))] },
  installPlans: [plan('Failed', { message: REFUSED })],
  csvs: [csv({ phase: 'Succeeded' })],
});
const ACCESS = contextAccess({ cluster: 'east', context: 'east' });

describe('the page of an operator whose newest InstallPlan failed', needing(chromiumNeed), () => {
  let run: fixture.RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  const { because, stillRuns, standing, todo } = FOUND;
  const asker: QuestionAsker = {
    ask: async ({ ask }) => {
      if (ask !== 'explain') return { because: 'gone', message: 'it is not there' };
      const advice = todo.map((one) => adviceParts(commandIn(ACCESS, one)));
      return { answer: { because, ...(stillRuns !== undefined && { stillRuns }), advice } };
    },
  };
  beforeAll(async () => {
    run = await openPages({ asker });
    const cause = { code: 'plan-failed', kind: 'InstallPlan', names: ['mill'], text: REFUSED };
    const names = { installed: 'mill.v1', version: '1.0.0', next: 'mill.v2', newest: 'mill.v2' };
    const row = fixture.operatorRow('east', 'mill', {
      ...{ standing, cause, ...names, ...(stillRuns !== undefined && { stillRuns }) },
    });
    run.view.write({ cluster: 'east', changed: [fixture.clusterRow('east'), row], removed: [] });
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  it('says first what failed, then that the version before runs on, as flotilla explain does', async () => {
    await tab.goto('/clusters/east/mills/subscriptions/mill');
    await expect.poll(() => tab.text(), PATIENCE).toContain('What to do');
    // The row, the answer and its advice come one after the other.
    await tab.settled();
    const shown = await tab.text('.why');
    expect(shown).toMatch(
      /InstallPlan install-1 failed\..*would no longer be served\..*mill\.v1 still runs\. What to do /,
    );
    expect(shown.match(/\bfailed\./g), 'that it failed is said once').toHaveLength(1);
    const chain = await tab.text('.chain');
    expect(chain).toMatch(/Plan : stops here mill\.v2 /);
    expect(chain).toMatch(/Running : not reached 1\.0\.0 still runs$/);
    const said = liveText(
      { cluster: 'east', kind: 'Subscription', namespace: 'mills', name: 'mill', ...FOUND },
      ACCESS,
    );
    for (const sentence of [...because, 'mill.v1 still runs.']) {
      expect(shown).toContain(sentence);
      expect(said).toContain(sentence);
    }
    expect(said.indexOf('still runs')).toBeLessThan(said.indexOf('What to do'));
    expect(await tab.axe()).toEqual([]);
    expect(tab.troubles).toEqual([]);
  });
});
