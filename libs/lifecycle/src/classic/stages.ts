import type { Hub } from '#platform/hub/hub';
import { OwnRights } from '#platform/joining/own-rights';
import { PollerAgreement } from '../engine/passes/poller-agreement.js';
import { BundleContents } from './bundles/bundle-contents.js';
import { OfferedBundles } from './bundles/offered-bundles.js';
import { apiServicesStage } from './csvs/api-services.stage.js';
import { copiesStage } from './csvs/copies.stage.js';
import { csvStage, type ReadyCsv } from './csvs/csv.stage.js';
import { operatorConditionStage } from './csvs/operator-condition.stage.js';
import { garbageCollectStage } from './install-plans/garbage-collect.stage.js';
import { installPlanStage } from './install-plans/install-plan.stage.js';
import { PlanMarks } from './install-plans/plan-marks.js';
import type { NamespaceStage } from './namespaces/namespace-stage.js';
import { ObservedProblems } from './namespaces/observed-problems.js';
import { operatorGroupStage } from './operator-groups/operator-group.stage.js';
import { operatorStage } from './operators/operator.stage.js';
import { deprecationStage } from './subscriptions/deprecation.stage.js';
import { resolutionStage } from './subscriptions/resolution.stage.js';
import { SolutionCheck } from './subscriptions/solution-check.js';
import { subscriptionStage } from './subscriptions/subscription.stage.js';

/** The parts of the hub that the stages of a pass need. */
export type StagesHub = Pick<Hub, 'problems' | 'bundlePulls' | 'content' | 'log' | 'metrics' | 'refused'> &
  Readonly<{
    /** Absent if nothing is written: plans are then neither marked nor refused for want of a mark. */
    key?: Hub['key'];
    tracer?: Hub['tracer'] | undefined;
    queues: Pick<Hub['queues'], 'observe' | 'apply'>;
    settings: Pick<
      Hub['settings'],
      'bundleUnpackTimeout' | 'foreignInstallPlans' | 'installPlanRetryTimeout' | 'protectedCopiedCsvNamespaces'
    >;
  }>;

/** The order of a pass: rights, bookkeeping, desired state, plans, running operators. */
export function stagesOf(hub: StagesHub, agreement = new PollerAgreement(hub.log, () => 1)): readonly NamespaceStage[] {
  const { problems, queues, bundlePulls, content, settings, log, metrics, refused, key, tracer } = hub;
  const marks = key && new PlanMarks(key);
  const contents = new BundleContents(bundlePulls, content, queues.apply, log);
  const observed = new ObservedProblems(problems);
  const unpackTimeoutMs = settings.bundleUnpackTimeout;
  return [
    operatorGroupStage,
    garbageCollectStage,
    subscriptionStage,
    resolutionStage({
      observed,
      check: new SolutionCheck(problems, observed, refused),
      agreement,
      contents,
      observe: queues.observe,
      log,
      unpackTimeoutMs,
      marks,
      tracer,
    }),
    deprecationStage(observed),
    installPlanStage({
      retryTimeoutMs: settings.installPlanRetryTimeout,
      contents,
      unpackTimeoutMs,
      foreign: { setting: settings.foreignInstallPlans, marks },
      offered: new OfferedBundles(observed),
      // A preview has the login of a user, and writes nothing.
      ...(key !== undefined && { rights: new OwnRights() }),
      log,
      metrics,
      tracer,
    }),
    operatorConditionStage,
    apiServicesStage,
    csvStage(log, (ready) => noteReady(hub, ready)),
    copiesStage({ protectedNamespaces: settings.protectedCopiedCsvNamespaces }),
    operatorStage,
  ];
}

function noteReady({ metrics, tracer }: StagesHub, { seconds, change, ...csv }: ReadyCsv): void {
  metrics.stages.took('ready', seconds);
  if (tracer === undefined || change === undefined) return;
  const endMs = tracer.nowMs();
  tracer.ended({ name: 'ready', of: csv.name, change, startMs: endMs - seconds * 1_000, endMs, attributes: csv });
}
