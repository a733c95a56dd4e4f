import type { AdviceCase, AdviceName } from './advice-bench.js';
import { CATALOG_CASES } from './catalog-cases.js';
import { ENDED_IMAGE_CASES } from './ended-image-cases.js';
import { EXTENSION_CASES } from './extension-cases.js';
import { HUB_CASES } from './hub-cases.js';
import { NAMESPACE_CASES } from './namespace-cases.js';
import { OPERATOR_CASES } from './operator-cases.js';
import { REQUIREMENT_CASES } from './requirement-cases.js';
import { SIGNATURE_CASES } from './signature-cases.js';
import { WEBHOOK_CASES } from './webhook-cases.js';

/**
 * Every case, by the name of its namespace. `make e2e` carries out all of them on a real API server.
 * Simulated clusters can play the cases that need no quotas, scheduler events or labels of nodes.
 */
export const CASES = {
  // One of them waits for a resync of the hub: the others are played meanwhile.
  ...HUB_CASES,
  ...CATALOG_CASES,
  ...NAMESPACE_CASES,
  ...OPERATOR_CASES,
  ...REQUIREMENT_CASES,
  ...EXTENSION_CASES,
  ...WEBHOOK_CASES,
  ...SIGNATURE_CASES,
  ...ENDED_IMAGE_CASES,
} satisfies Readonly<Record<string, AdviceCase>>;

export type CaseName = keyof typeof CASES;

/** Cases that `make test` carries out on a simulated cluster. */
export const IN_EVERY_RUN: readonly CaseName[] = ['manual'];

/** One case of each other kind. `make test-all` carries them out on simulated clusters. */
export const FOR_EVERY_CLONE: readonly CaseName[] = [
  'no-catalog',
  'api-version-missing',
  'namespace-missing',
  'webhook-of-operator',
];

/** Advices without a case, and the missing parts of such a case. */
export const NOT_CARRIED_OUT: Readonly<Partial<Record<AdviceName, string>>> = {
  seeRollouts: 'a hub with a fleet: test/integration/fleet-rollout.extended.spec.ts has one, without a kubeconfig',
  correctRollout: 'a deadline that has passed: the shortest that the API server takes is ten minutes',
};
