import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing, programs } from '#testing/report/needs';
import { ADVICE_NAMES, AdviceBench, type AdviceCase, type AdviceName } from './advice-support/advice-bench.js';
import { CATALOG_CASES } from './advice-support/catalog-cases.js';
import { EXTENSION_CASES } from './advice-support/extension-cases.js';
import { NAMESPACE_CASES } from './advice-support/namespace-cases.js';
import { OPERATOR_CASES } from './advice-support/operator-cases.js';

const CASES: Readonly<Record<string, AdviceCase>> = {
  ...CATALOG_CASES,
  ...NAMESPACE_CASES,
  ...OPERATOR_CASES,
  ...EXTENSION_CASES,
};

/** Advices that no case here carries out yet, and what is missing for it. */
const NOT_CARRIED_OUT: Readonly<Partial<Record<AdviceName, string>>> = {
  allowPullSecrets: 'a poller whose account lacks a right',
  allowConfigMaps: 'a poller whose account lacks a right; cluster-access.spec.ts grants it',
  checkHubRights: 'an applier whose account lacks a right',
  checkHub: 'a hub that is stopped',
  replanForeign: 'a hub that refuses plans of others; applier-foreign-plans.spec.ts carries it out',
  enableDefaultSource: 'a cluster that serves OpenShift’s OperatorHub',
  startRegistryServer: 'a registry server of its own',
  namePullSecret: 'a registry of its own that asks for a login',
  explainSubscription: 'it is printed by status alone; libs: explain.spec.ts has its answers',
  subscribeAfterCopy: 'the same as replanOverCopy, after the plan was deleted',
  watchPods: 'a Deployment that does not become available',
  giveOperatorRights: 'rights of a pending CSV that are taken away; diagnosis.spec.ts has the text',
  createOperatorAccount: 'the ServiceAccount of a pending CSV that is deleted',
  inspectApiService: 'an aggregated API that is not available',
  inspectRequirement: 'a requirement of a kind that OLM does not know yet',
  correctRefusal: 'an API server that refuses a Deployment',
  correctExtensionConfig: 'a bundle with a configuration schema',
  correctRollout: 'a Deployment that does not become available',
  correctExtensionSpec: 'a specification that the API server takes and resolution does not',
  correctClusterCatalog: 'printed by status alone',
  explainExtension: 'printed by status alone',
};

const there = await programs({ program: 'kubectl' });

describe('what explain advises', () => {
  it('has a case for every advice', () => {
    const carried = Object.values(CASES).flatMap(({ carries }) => carries);
    const missing = ADVICE_NAMES.filter((name) => !carried.includes(name));
    expect(missing.toSorted()).toEqual(Object.keys(NOT_CARRIED_OUT).toSorted());
  });

  describe('carried out, ends as promised', () => {
    let bench: AdviceBench;
    beforeAll(async () => {
      if (there.isThere) bench = await AdviceBench.start();
    });
    afterAll(() => bench?.stop());

    describe.concurrent('about', () => {
      it.for(Object.entries(CASES))('%s', needing(there), async ([name, { carries, play }], { expect: expecting }) => {
        await play(bench, name);
        expecting(bench.printed(name)).toEqual([...carries].sort());
      });
    });
  });
});
