import type { AdviceCase, AdviceName } from './advice-bench.js';
import { CATALOG_CASES } from './catalog-cases.js';
import { EXTENSION_CASES } from './extension-cases.js';
import { NAMESPACE_CASES } from './namespace-cases.js';
import { OPERATOR_CASES } from './operator-cases.js';

/** Every case, by the name of its namespace: `make e2e` carries all of them out on a real API server. */
export const CASES = {
  ...CATALOG_CASES,
  ...NAMESPACE_CASES,
  ...OPERATOR_CASES,
  ...EXTENSION_CASES,
} satisfies Readonly<Record<string, AdviceCase>>;

export type CaseName = keyof typeof CASES;

/** One case of each kind, which `make test` carries out on a simulated cluster. */
export const FOR_EVERY_CLONE: readonly CaseName[] = [
  'no-catalog',
  'manual',
  'api-version-missing',
  'namespace-missing',
];

/** Advices that no case carries out yet, and what is missing for it. */
export const NOT_CARRIED_OUT: Readonly<Partial<Record<AdviceName, string>>> = {
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
