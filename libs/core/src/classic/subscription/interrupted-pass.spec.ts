import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { planInstall, type ResolvedResolution } from '../install-plan/creation/plan-install.js';
import { applyResolution } from './apply-resolution.js';
import { bookkeepSubscription, needsResolution } from './bookkeep-subscription.js';

const NOW = '2026-01-01T00:00:00Z';
const WANTED: Readonly<Record<string, string>> = { tug: 'tug.v1', dock: 'dock.v1' };

class Killed extends Error {}

/**
 * A namespace with two Subscriptions and the writes of a pass over it; the process dies
 * after `killAfter` writes.
 */
class Namespace {
  readonly subscriptions = new Map(Object.keys(WANTED).map((name) => [name, fresh(name)]));
  readonly plans = new Map<string, InstallPlan>();
  writes = 0;
  constructor(public killAfter: number) {}

  #write(): void {
    if (this.writes >= this.killAfter) throw new Killed();
    this.writes += 1;
  }

  create(plan: InstallPlan): InstallPlan {
    this.#write();
    const name = plan.metadata.name ?? '';
    const { status: _dropped, ...bare } = plan;
    this.plans.set(name, { ...bare, metadata: { ...plan.metadata, uid: `uid-${name}` } });
    return this.plans.get(name) ?? plan;
  }

  writePlan(plan: InstallPlan): InstallPlan {
    this.#write();
    this.plans.set(plan.metadata.name ?? '', plan);
    return plan;
  }

  writeStatus(subscription: Subscription, status: SubscriptionStatus): void {
    this.#write();
    this.subscriptions.set(subscription.metadata.name ?? '', { ...subscription, status });
  }
}

const fresh = (name: string): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name, namespace: 'harbour', uid: `uid-${name}` },
  spec: { name, source: 'shelf', sourceNamespace: 'olm' },
});

const bundle = (name: string) => ({
  objects: [
    { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', metadata: { name }, spec: {} },
  ],
});

/** What a resolver answers as long as no CSV exists: both bundles, moving those that are not there yet. */
const resolutionOf = (subscriptions: readonly Subscription[]): ResolvedResolution => ({
  result: 'resolved',
  chosen: Object.values(WANTED).map((name) => ({
    ...{ name, package: name, channel: 'stable', catalog: 'shelf', catalogNamespace: 'olm', version: '1.0.0' },
    ...{ replaces: '', source: { inline: 'sha256:0' }, properties: [] },
  })),
  subscriptionsCreated: [],
  subscriptionsUpdated: subscriptions
    .filter(({ metadata, status }) => status?.currentCSV !== WANTED[metadata.name ?? ''])
    .map(({ metadata }) => ({ name: metadata.name ?? '', currentCSV: WANTED[metadata.name ?? ''] ?? '' })),
});

/** One pass; true when it wrote something. */
function pass(namespace: Namespace): boolean {
  const subscriptions = [...namespace.subscriptions.values()];
  const around = { csvs: new Set<string>(), plans: namespace.plans, failForward: false };
  const booked = subscriptions.map((one) => bookkeepSubscription(one, around, NOW)).filter(({ changed }) => changed);
  for (const { subscription, status } of booked) namespace.writeStatus(subscription, status);
  if (booked.length > 0) return true;
  if (!needsResolution(subscriptions)) return false;
  const resolution = resolutionOf(subscriptions);
  const bundles = new Map(Object.values(WANTED).map((name) => [name, bundle(name)]));
  const existingPlans = [...namespace.plans.values()];
  const planned = planInstall({ namespace: 'harbour', subscriptions, resolution, bundles, existingPlans });
  if (planned.result === 'nothing') return false;
  const made = planned.existing ?? namespace.create(planned.plan);
  const plan = made.status === undefined ? namespace.writePlan({ ...made, status: planned.status }) : made;
  const changes = applyResolution(subscriptions, { effect: 'planned', resolution, plan }, NOW);
  for (const { subscription, status, changed } of changes) if (changed) namespace.writeStatus(subscription, status);
  return true;
}

function run(namespace: Namespace): Namespace {
  for (let passes = 0; passes < 10; passes += 1) {
    try {
      if (!pass(namespace)) return namespace;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      namespace.killAfter = Number.POSITIVE_INFINITY;
    }
  }
  throw new Error('does not come to rest');
}

describe('a pass that is ended by force', () => {
  const undisturbed = run(new Namespace(Number.POSITIVE_INFINITY));

  it('has four writes when it is not: plan, its status, two Subscriptions', () => {
    expect([undisturbed.writes, undisturbed.plans.size]).toEqual([4, 1]);
  });

  it.each([0, 1, 2, 3])('ends with the same plan and Subscriptions when killed after %i writes', (killAfter) => {
    const namespace = run(new Namespace(killAfter));
    expect([...namespace.plans]).toEqual([...undisturbed.plans]);
    expect([...namespace.subscriptions]).toEqual([...undisturbed.subscriptions]);
  });
});
