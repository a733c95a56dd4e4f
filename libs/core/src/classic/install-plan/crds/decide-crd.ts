import { z } from 'zod';
import type { Action } from '../../../kernel/actions/action.js';
import type { InstallPlan, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { INSTALL_PLAN_API } from '../../../kernel/api/install-plan.js';
import { type KubernetesObject, splitApiVersion } from '../../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { crdGroup, isEstablished, whyNotEstablished } from '../../../kernel/crd/crd-versions.js';
import { definesProtectedApi, protectedApiText } from '../../../kernel/crd/protected-apis.js';
import { elapsedMs } from '../../../kernel/durations/kubernetes-time.js';
import { alongsideAnnotationKey } from '../../../kernel/hashes/object-names.js';
import { checkCrdUpgrade, existingCrsPrefix } from '../../crd-upgrade/check-crd-upgrade.js';
import { type StoredVersionMigration, withoutStored } from '../../crd-upgrade/stored-versions.js';
import type { StepStatus } from '../steps/install-plan-step.js';
import { startedLabels } from '../steps/start-marks.js';
import {
  objectIn,
  readKey,
  type StepContext,
  type StepDecision,
  type StepRead,
  type StepWorld,
} from '../steps/step-world.js';
import { instanceReads, instancesIn, keptAlongside, ownersElsewhere } from './crd-reads.js';
import { withoutRight } from './crd-rights.js';

/**
 * Annotation of an InstallPlan, defined by Flotilla. With value `true`, existing CRDs in the cluster stay
 * unchanged, and missing ones are created. Set for the install of an older version of an operator.
 */
export const KEEP_DEFINITIONS_ANNOTATION = 'flotilla.dev/keep-definitions';

/** True if a plan must leave the cluster's CRDs unchanged. */
export const keepsDefinitions = ({ metadata }: InstallPlan): boolean =>
  metadata.annotations?.[KEEP_DEFINITIONS_ANNOTATION] === 'true';

type Crd = Readonly<{ step: InstallPlanStep; next: KubernetesObject; context: StepContext; world: StepWorld }>;

/**
 * A CRD step. New: create, then wait until the API server serves it. There already: replace it if no existing
 * object and no stored or served version is lost. Spec: install-plans.md §7.
 */
export function decideCrd(
  step: InstallPlanStep,
  next: KubernetesObject,
  context: StepContext,
  world: StepWorld,
): StepDecision {
  const { apiVersion, kind, metadata } = next;
  const refusal = refusedDefinition(next);
  if (refusal !== undefined) return refusal;
  const live = objectIn(world, { apiVersion, kind, name: metadata.name ?? '' });
  const crd: Crd = { step, next, context, world };
  if (step.status === 'WaitingForApi') return awaitApi(live, context);
  if (live === undefined)
    return { actions: [{ do: 'create', object: withAlongside(crd, {}) }], status: 'WaitingForApi' };
  return (
    withoutRight(live, next, context, world) ?? (context.keepsDefinitions ? keepCrd(crd, live) : replaceCrd(crd, live))
  );
}

/** Keeps the CRD, and records the CSV it came with. */
function keepCrd({ step, context }: Crd, live: KubernetesObject): StepDecision {
  const missing = Object.entries(ownAlongside(step, context)).filter(
    ([key, value]) => live.metadata.annotations?.[key] !== value,
  );
  if (missing.length === 0) return { actions: [], status: 'Present' };
  const { apiVersion, kind } = live;
  const ref = { apiVersion, kind, name: live.metadata.name ?? '' };
  const patch = { metadata: { annotations: Object.fromEntries(missing) } };
  return { actions: [{ do: 'patch', ref, patch }], status: 'Present' };
}

/** The versions with a client in OLM. */
const CRD_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/**
 * Refuses the CRDs of OLM and of Flotilla. Flotilla writes a CRD with its own rights, not with those of the
 * OperatorGroup's account.
 */
function refusedDefinition(next: KubernetesObject): StepDecision | undefined {
  const name = next.metadata.name ?? '';
  const { version } = splitApiVersion(next.apiVersion);
  if (!CRD_VERSIONS.has(version)) return { fail: `CRD APIVersion from manifest not supported: ${version}` };
  if (!definesProtectedApi(next)) return undefined;
  return { fail: protectedApiText(name), status: 'UnsupportedResource', patienceMs: 0 };
}

/**
 * Waits until a new CRD is established. OLM reads it once more, and completes the plan with the step Unknown
 * if it is gone or not established. Here the plan waits, and reports the cause after the retry time. A CRD
 * that is gone is created again.
 */
function awaitApi(live: KubernetesObject | undefined, context: StepContext): StepDecision {
  if (live === undefined) return { actions: [], status: 'NotPresent' };
  if (isEstablished(live)) return { actions: [], status: 'Created' };
  const waited = elapsedMs(context.plan.startTime ?? context.now, context.now);
  const status: StepStatus = 'WaitingForApi';
  if (waited < context.retryTimeoutMs) return { actions: [], status };
  const waitingFor = `waiting for CRD "${live.metadata.name}" to be established: ${whyNotEstablished(live)}`;
  return { actions: [], status, waitingFor };
}

function replaceCrd(crd: Crd, live: KubernetesObject): StepDecision {
  const { step, next, context, world } = crd;
  const name = next.metadata.name ?? '';
  const reads = instanceReads(live, next);
  const unread = failureAmong([...reads.values()], world);
  if (unread !== undefined)
    return { ...unread, fail: `${existingCrsPrefix(name)}error listing resources: ${unread.fail}` };
  const kept = keptAlongside(live, (ref) => objectIn(world, ref));
  const verdict = checkCrdUpgrade({
    current: live,
    next,
    instances: instancesIn(reads, world),
    otherOwners: ownersElsewhere(kept, context.plan.namespace),
    migrate: context.migrateStoredVersions,
  });
  if (verdict.refusal !== undefined) {
    const { refusal: fail, advice } = verdict;
    return advice === undefined ? { fail } : { fail, advice: planEvent(context, 'CRDRefused', advice) };
  }
  if (verdict.migration !== undefined) return migrationOf(live, verdict.migration, context);
  const annotations = Object.fromEntries(kept.map(({ key, csv }) => [key, `${csv.namespace}/${csv.name}`]));
  const object = withAlongside(crd, annotations, keptLabels(live, startedLabels(step, context)));
  const { resourceVersion } = live.metadata;
  const locked = { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  const events = verdict.warnings.map((message) => planEvent(context, 'CRDValidation', message));
  return { actions: [...events, { do: 'update', object: { ...object, metadata: locked } }], status: 'Present' };
}

/** Returns the labels of the operator that the object already has. A later pass would set them again. */
const keptLabels = (live: KubernetesObject, labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => live.metadata.labels?.[key] !== undefined));

/** Within this time, every API server of a cluster uses a new storage version. */
const STORAGE_SETTLED_MS = 10_000;
/** Longer than the pause above, so that the pause does not fail the plan. */
const MIGRATION_PATIENCE_MS = 60_000;

function migrationOf(live: KubernetesObject, migration: StoredVersionMigration, context: StepContext): StepDecision {
  const written = lastSpecWrite(live);
  if (written !== undefined && elapsedMs(written, context.now) < STORAGE_SETTLED_MS) {
    const name = live.metadata.name ?? '';
    const fail = `CRD "${name}" changed just now: its objects are rewritten in ${migration.storage} once every API server stores them so`;
    return { fail, patienceMs: Math.max(MIGRATION_PATIENCE_MS, context.retryTimeoutMs) };
  }
  const rewrite = { apiVersion: `${crdGroup(live)}/${migration.through}`, kind: migration.kind };
  return { rewrite, because: migration, afterwards: { do: 'updateStatus', object: withoutStored(live, migration) } };
}

/**
 * Returns the time of the last write to the CRD itself, not its status, as far as its managed fields show.
 */
function lastSpecWrite({ metadata }: KubernetesObject): string | undefined {
  const writes = z.array(ManagedFields).safeParse(metadata['managedFields']).data ?? [];
  const times = writes.flatMap(({ subresource, time }) =>
    subresource === undefined && time !== undefined ? [time] : [],
  );
  return times.toSorted(byCodeUnit).at(-1);
}

const ManagedFields = z.looseObject({ subresource: z.string().optional(), time: z.string().optional() });

function failureAmong(reads: readonly StepRead[], world: StepWorld): { fail: string; forbidden?: boolean } | undefined {
  for (const read of reads) {
    const answer = world.answers.get(readKey(read));
    if (answer === undefined || !('failed' in answer)) continue;
    return { fail: answer.failed, ...(answer.forbidden === undefined ? {} : { forbidden: answer.forbidden }) };
  }
  return undefined;
}

const planEvent = ({ plan }: StepContext, reason: string, message: string): Action => ({
  do: 'emitEvent',
  about: { ...INSTALL_PLAN_API, name: plan.name, namespace: plan.namespace, uid: plan.uid },
  type: 'Warning',
  reason,
  message,
});

/**
 * Returns the manifest with OLM's label and the record of the CSVs it came with. Its status belongs to the
 * API server.
 */
function withAlongside(
  { step, next, context }: Crd,
  kept: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): KubernetesObject {
  const { status: _apiServers, ...rest } = next;
  const { metadata } = next;
  const own = ownAlongside(step, context);
  return {
    ...rest,
    apiVersion: next.apiVersion,
    kind: next.kind,
    metadata: {
      ...metadata,
      labels: { ...labels, ...metadata.labels, 'olm.managed': 'true' },
      annotations: { ...metadata.annotations, ...kept, ...own },
    },
  };
}

function ownAlongside({ resolving }: InstallPlanStep, { plan: { namespace } }: StepContext): Record<string, string> {
  return resolving === '' ? {} : { [alongsideAnnotationKey(namespace, resolving)]: `${namespace}/${resolving}` };
}
