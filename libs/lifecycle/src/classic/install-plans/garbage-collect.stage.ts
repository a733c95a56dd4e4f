import { plansToDelete } from '#core/classic/install-plan/plan/garbage-collect';
import { ISOLATION_ANNOTATION } from '#core/classic/resolution/problem/desired-namespace';
import { waitsForPlan } from '#core/classic/subscription/replan-lost';
import { csvName } from '#core/kernel/api/csv-facts';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { perform } from '../../engine/passes/perform.js';
import { AT_REST } from '../../engine/passes/stage.js';
import type { NamespaceStage } from '../namespaces/namespace-stage.js';

/** Deletes the oldest InstallPlans beyond the five that are kept; not those in use. */
export const garbageCollectStage: NamespaceStage = async (input) => {
  const { read } = input;
  if (read.subscriptions.length === 0) return AT_REST;
  const referred = new Set(read.subscriptions.map(({ status }) => status?.installPlanRef?.name ?? ''));
  const isolated = read.operatorGroups.some(({ metadata }) => metadata.annotations?.[ISOLATION_ANNOTATION] === 'true');
  const waiting = new Set(read.csvs.filter(waitsForPlan).map(csvName));
  const deletions = plansToDelete(read.installPlans, { referred, isolated, waiting }).map(({ metadata }) => ({
    do: 'delete' as const,
    ref: { ...INSTALL_PLAN_API, name: metadata.name ?? '', namespace: read.namespace },
    propagation: 'Background' as const,
    uid: metadata.uid,
  }));
  return perform(input, deletions);
};
