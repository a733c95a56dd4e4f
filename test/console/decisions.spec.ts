import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';
import { PolicyModel } from '#core/view/rights/console-policy';
import {
  type HubDecision,
  type HubDecisionEnd,
  HubDecisions,
  type HubPerson,
} from '#platform/console/decisions/hub-decisions.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import type { SignIn } from '../../apps/console/src/sign-in/sign-in.js';
import { byName, ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { harborRollout } from './fleet-rollout.js';
import { clusterName, fillFleet } from './fleet-rows.js';

const ALL = { clusters: ['*'] };
const POLICY = PolicyModel.parse({
  grants: [
    { users: ['jane', 'otto'], role: 'operator', ...ALL },
    { users: ['viewer', 'harbors'], role: 'viewer', ...ALL },
    { users: ['harbors'], role: 'operator', ...ALL, packages: ['harbor'] },
  ],
});
const ROLLOUT = harborRollout(clusterName(0));
const PAGE = `/rollouts/${encodeURIComponent(ROLLOUT.id)}`;

/** Signs in by name, with a token that names the person. */
function withTokens({ personOf }: SignIn): SignIn {
  return {
    personOf: async (headers, how) => {
      const person = await personOf(headers, how);
      return person && { ...person, signedInWith: async () => ({ token: person.name }) };
    },
  };
}

class KnownHub extends HubDecisions {
  readonly decided: HubDecision[] = [];
  end: HubDecisionEnd = { outcome: 'effective', decision: 'harbor-3-pause-1', message: '' };

  personOf(token: string): Promise<HubPerson | undefined> {
    return Promise.resolve(token === 'otto' ? undefined : { user: `oidc:${token}`, groups: [] });
  }

  allowed(_token: string, _rollout: string, actions: readonly DecisionAction[]) {
    return Promise.resolve(new Set(actions.filter((action) => action !== 'Promote')));
  }

  decide(_token: string, _by: HubPerson, decision: HubDecision): Promise<HubDecisionEnd> {
    this.decided.push(decision);
    return Promise.resolve(this.end);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

describe('decisions about a rollout in the console', needing(chromiumNeed), () => {
  const hub = new KnownHub();
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab | undefined;
  beforeAll(async () => {
    run = await openPages({ signIns: [withTokens(byName(POLICY))], hubDecisions: hub });
    fillFleet(run.view);
    await run.view.writeRollouts([ROLLOUT]);
    browser = await launchChromium();
  });
  afterEach(async () => {
    const troubles = tab?.troubles ?? [];
    await tab?.close();
    hub.decided.length = 0;
    expect(troubles).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const SECTION = 'section[aria-label="To decide"]';
  async function open(as: string): Promise<ConsoleTab> {
    tab = await ConsoleTab.open(browser, run.service.link, { as });
    await tab.goto(PAGE);
    await tab.settled();
    return tab;
  }
  const buttons = (one: ConsoleTab) => one.page.locator(SECTION).locator('.decision > button').allTextContents();

  it('are buttons beside their commands, for a person who may make them, and need a reason', async () => {
    const one = await open('jane');
    await expect.poll(() => one.text(SECTION), PATIENCE).toContain('Decisions are recorded as oidc:jane');
    expect(await buttons(one)).toEqual(['Approve…', 'Retry…', 'Pause…', 'Abort…', 'Roll back…']);
    expect(await one.text(SECTION)).toContain('flotilla fleet promote harbor-3 -n fleet --wave lab');
    expect(await one.text(SECTION)).toContain('Its changes: Minor.');
    const pause = one.page.getByRole('button', { name: 'Pause…' });
    expect(await pause.isDisabled()).toBe(true);
    await one.page.getByLabel('Reason').fill('CHG-1182');
    await pause.click();
    expect(await one.text('dialog')).toContain('Reason: CHG-1182');
    expect(await one.axe()).toEqual([]);
    await one.page.getByRole('button', { name: 'Pause', exact: true }).click();
    await expect.poll(() => one.text(SECTION), PATIENCE).toContain('Pause takes effect harbor-3-pause-1');
    expect(hub.decided).toMatchObject([{ rollout: ROLLOUT.id, action: 'Pause', reason: 'CHG-1182' }]);
    expect(await one.axe()).toEqual([]);
  });

  it('send the kinds of change that were shown of a plan class', async () => {
    const one = await open('jane');
    await one.page.getByLabel('Reason').fill('CHG-1182');
    await one.page.getByRole('button', { name: 'Approve…' }).click();
    await one.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => hub.decided, PATIENCE).toMatchObject([{ class: '3f9c', changes: ['Minor'] }]);
  });

  it('are about what the person read, even if a class comes to change more', async () => {
    const one = await open('jane');
    await one.page.getByLabel('Reason').fill('CHG-1182');
    await one.page.getByRole('button', { name: 'Approve…' }).click();
    const classes = ROLLOUT.classes.map((known) => ({ ...known, changes: ['Minor', 'CRDChange'] }));
    await run.view.writeRollouts([{ ...ROLLOUT, classes }]);
    await expect.poll(() => one.text(SECTION), PATIENCE).toContain('Its changes: Minor, CRDChange.');
    expect(await one.text('dialog')).toContain('Its changes: Minor.');
    expect(await one.text('dialog')).not.toContain('The command shows first');
    await one.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => hub.decided, PATIENCE).toMatchObject([{ class: '3f9c', changes: ['Minor'] }]);
    await run.view.writeRollouts([ROLLOUT]);
  });

  it('have a key of their own after another decision was made, though the first was not answered', async () => {
    const one = await open('jane');
    await one.page.getByLabel('Reason').fill('CHG-1184');
    const press = async (verb: string, phase: string, end: HubDecisionEnd) => {
      hub.end = end;
      await run.view.writeRollouts([{ ...ROLLOUT, phase }]);
      await one.page.getByRole('button', { name: `${verb}…` }).click();
      await one.page.getByRole('button', { name: verb, exact: true }).click();
      const words = end.outcome === 'effective' ? 'takes effect' : 'has no answer yet';
      await expect.poll(() => one.text(SECTION), PATIENCE).toContain(`${verb} ${words}`);
    };
    const unanswered = { outcome: 'unanswered', decision: '', message: 'not known' } as const;
    await press('Pause', 'Progressing', unanswered);
    await press('Resume', 'Paused', { outcome: 'effective', decision: 'harbor-3-resume-1', message: '' });
    await press('Pause', 'Progressing', unanswered);
    await run.view.writeRollouts([ROLLOUT]);
    expect(hub.decided.map(({ action }) => action)).toEqual(['Pause', 'Resume', 'Pause']);
    expect(new Set(hub.decided.map(({ key }) => key)).size).toBe(3);
  });

  it('have a button for the plan classes that the person may approve, also if another class comes to wait', async () => {
    const known = { ...ROLLOUT, packageKnown: true } as const;
    await run.view.writeRollouts([known]);
    const one = await open('harbors');
    await expect.poll(() => buttons(one), PATIENCE).toContain('Approve…');
    const moves = { hash: '77ab', clusters: 12, changes: ['Minor', 'NeighbourMove'] };
    await run.view.writeRollouts([{ ...known, classes: [moves, ...known.classes] }]);
    await expect.poll(() => one.text(SECTION), PATIENCE).toContain('NeighbourMove');
    const offered = async () => (await buttons(one)).filter((name) => name === 'Approve…').length;
    await expect.poll(offered, PATIENCE).toBe(1);
    await run.view.writeRollouts([{ ...known, classes: [moves] }]);
    await expect.poll(offered, PATIENCE).toBe(0);
    await run.view.writeRollouts([ROLLOUT]);
  });

  it('that take clusters back want the name of the rollout typed', async () => {
    const one = await open('jane');
    await one.page.getByLabel('Reason').fill('CHG-1183');
    await one.page.getByRole('button', { name: 'Roll back…' }).click();
    const sure = one.page.getByRole('button', { name: 'Roll back', exact: true });
    expect(await sure.isDisabled()).toBe(true);
    await one.page.getByLabel('Type harbor-3 to go on').fill('harbor-3');
    hub.end = { outcome: 'no-effect', decision: 'harbor-3-rollback-1', message: 'nothing to take back' };
    await sure.click();
    await expect.poll(() => one.text(SECTION), PATIENCE).toContain('Roll back has no effect nothing to take back');
    expect(hub.decided).toMatchObject([{ action: 'Rollback', reason: 'CHG-1183' }]);
  });

  it.each([
    ['viewer', 'Decisions are recorded under the name of whoever runs the command'],
    ['otto', 'The hub API does not accept your sign-in here.'],
  ])('are commands alone for %s', async (who, words) => {
    const one = await open(who);
    await expect.poll(() => one.text(SECTION), PATIENCE).toContain(words);
    expect(await buttons(one)).toEqual([]);
    expect(await one.text(SECTION)).toContain('flotilla fleet rollback harbor-3 -n fleet');
  });
});
