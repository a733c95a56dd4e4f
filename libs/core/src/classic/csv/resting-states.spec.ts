import { expect, it } from 'vitest';
import { INSTALLED_CASES } from './phases/phase-cases-installed.fixture.js';
import { INSTALLING_CASES } from './phases/phase-cases-installing.fixture.js';
import { stepCsv } from './step-csv.js';
import { world } from './world/csv-world.fixture.js';

/**
 * Verdicts that a CSV keeps without a further try, and the kinds whose events end the rest. Each of these
 * events brings a pass over the namespace of the CSV (`affectedNamespaces`, `RightsChanges`).
 */
const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  'Pending/OperatorConditionNotUpgradeable': ['OperatorCondition', 'ClusterServiceVersion'],
  'Pending/Whatever': ['ClusterServiceVersion'],
  'Succeeded/InstallSucceeded': ['ClusterServiceVersion', 'Deployment', 'CustomResourceDefinition', 'Secret'],
  'Failed/InvalidInstallStrategy': ['ClusterServiceVersion'],
  'Failed/InvalidWebhookDescription': ['ClusterServiceVersion'],
  'Failed/OwnerConflict': ['ClusterServiceVersion'],
  'Failed/InstallCheckFailed': ['Deployment', 'Subscription', 'ClusterServiceVersion'],
  'Failed/InstallComponentFailed': ['OperatorGroup', 'CustomResourceDefinition', 'ClusterServiceVersion'],
  'Replacing/BeingReplaced': ['ClusterServiceVersion'],
  'Replacing/Whatever': ['ClusterServiceVersion'],
};

const cases = [INSTALLING_CASES, INSTALLED_CASES].flatMap((all) => Object.values(all).flat());

/** Returns the verdict of a CSV that rests; undefined if it continues without an event. */
function restOf({ csv, others = [], parts }: (typeof cases)[number]): string | undefined {
  let current = csv;
  for (let steps = 0; steps < 10; steps += 1) {
    const { status, next, actions } = stepCsv(current, world({ ...parts, csvs: [current, ...others] }));
    if (status === undefined) {
      const { phase, reason } = current.status ?? {};
      return next === undefined && actions.length === 0 ? `${phase}/${reason}` : undefined;
    }
    current = { ...current, status };
  }
  return undefined;
}

it('no CSV waits without a pause for what has no event', () => {
  const rests = new Set(cases.flatMap((one) => restOf(one) ?? []));
  expect([...rests].sort()).toEqual(Object.keys(ENDED_BY).sort());
});
