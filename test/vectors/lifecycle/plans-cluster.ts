import {
  concludeExecution,
  contextOf,
  decideStep,
  emptyWorld,
  outcomeOf,
  readsForStep,
  type StepAnswer,
  type StepOutcome,
  type StepRead,
  unfinishedSteps,
  withAnswer,
} from '#core/classic/install-plan/execution/step-install-plan';
import type { Action } from '#core/kernel/actions/action';
import type { InstallPlan, InstallPlanStatus } from '#core/kernel/api/install-plan';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { refOf } from '#core/kernel/api/kubernetes-object';

/** The process was ended between two writes. */
export class Killed extends Error {}

const key = ({ apiVersion, kind, name, namespace }: ObjectRef): string =>
  `${apiVersion} ${kind} ${namespace ?? ''}/${name}`;

/** Objects in memory, with uids and resource versions; enough of a cluster for the steps of a plan. */
export class PlanCluster {
  readonly objects = new Map<string, KubernetesObject>();
  writes = 0;
  #version = 0;

  /** Ends the process after so many writes. */
  constructor(public killAfter = Number.POSITIVE_INFINITY) {}

  answer(read: StepRead): StepAnswer {
    if (read.read === 'get') return { object: structuredClone(this.objects.get(key(read.ref))) };
    if (read.read === 'access') return { allowed: true };
    const { apiVersion, kind, namespace } = read;
    const all = [...this.objects.values()].filter((one) => one.apiVersion === apiVersion && one.kind === kind);
    return {
      list: structuredClone(all.filter((one) => namespace === undefined || one.metadata.namespace === namespace)),
    };
  }

  perform(action: Action): void {
    if (action.do !== 'create' && action.do !== 'update') return;
    if (this.writes >= this.killAfter) throw new Killed();
    const at = key(refOf(action.object));
    const old = this.objects.get(at);
    if (action.do === 'update' && old?.metadata.resourceVersion !== action.object.metadata.resourceVersion) {
      throw new Error(`409 Conflict on ${at}`);
    }
    if (action.do === 'create' && old !== undefined) return;
    this.writes += 1;
    this.#version += 1;
    const metadata = {
      ...action.object.metadata,
      uid: old?.metadata.uid ?? `uid-${at}`,
      resourceVersion: `${this.#version}`,
    };
    this.objects.set(at, structuredClone({ ...action.object, metadata, ...served(action.object) }));
  }
}

/** The API server accepts a CRD's names at once here. */
const served = (object: KubernetesObject): Record<string, unknown> =>
  object.kind === 'CustomResourceDefinition'
    ? { status: { conditions: ['Established', 'NamesAccepted'].map((type) => ({ type, status: 'True' })) } }
    : {};

/** One pass over a plan, as a shell does it; gives the plan's new status. */
export function executeOnce(plan: InstallPlan, cluster: PlanCluster, now: string): InstallPlanStatus {
  const settings = { operatorNamespace: 'olm', now, retryTimeoutMs: 60_000, migrateStoredVersions: false };
  const context = contextOf(plan, settings);
  const outcomes = new Map<number, StepOutcome>();
  for (const [index, step] of unfinishedSteps(plan)) {
    let world = emptyWorld;
    for (let reads = readsForStep(step, context, world); reads.length > 0; reads = readsForStep(step, context, world)) {
      for (const read of reads) world = withAnswer(world, read, cluster.answer(read));
    }
    const decision = decideStep(step, context, world);
    if ('rewrite' in decision) throw new Error('nobody asked for stored objects to be rewritten');
    if ('actions' in decision) for (const action of decision.actions) cluster.perform(action);
    const outcome = outcomeOf(step, decision, { ok: true, warnings: [] });
    outcomes.set(index, outcome);
    if (outcome.error !== undefined) break;
  }
  return concludeExecution(plan, outcomes, settings).status;
}

/** Executes until the plan leaves phase Installing; a kill loses the status of that pass, as it would. */
export function executeToEnd(plan: InstallPlan, status: InstallPlanStatus, cluster: PlanCluster): InstallPlanStatus {
  let current = status;
  for (let pass = 0; pass < 10 && current.phase === 'Installing'; pass += 1) {
    try {
      current = executeOnce({ ...plan, status: current }, cluster, `2026-01-01T00:00:0${pass}Z`);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      cluster.killAfter = Number.POSITIVE_INFINITY;
    }
  }
  return current;
}
