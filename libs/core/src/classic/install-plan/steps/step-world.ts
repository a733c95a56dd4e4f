import type { Action } from '../../../kernel/actions/action.js';
import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import type { StoredVersionMigration } from '../../crd-upgrade/stored-versions.js';
import type { StepStatus } from './install-plan-step.js';
import type { StartMarks } from './start-marks.js';

/**
 * A question to one cluster that a step's decision depends on. A list without namespace
 * is of the whole cluster.
 */
export type StepRead =
  | Readonly<{ read: 'get'; ref: ObjectRef }>
  | Readonly<{ read: 'list'; apiVersion: string; kind: string; namespace?: string }>
  | Readonly<{ read: 'access'; account: ObjectRef; may: AccessTo }>;

/** A right of a service account to one object without namespace. */
export type AccessTo = Readonly<{ verb: string; group: string; resource: string; name: string }>;

/**
 * The cluster's answer: the object (undefined if there is none), the list, the right, or the reason it could
 * not be read.
 */
export type StepAnswer =
  | Readonly<{ object: KubernetesObject | undefined }>
  | Readonly<{ list: readonly KubernetesObject[] }>
  | Readonly<{ allowed: boolean }>
  | Readonly<{ failed: string; forbidden?: boolean }>;

/** A plan and the settings of its execution: the same for all its steps. */
export type StepContext = Readonly<{
  /** The plan's own name, namespace and status.startTime; uid for events about it. */
  plan: Readonly<{ name: string; namespace: string; uid?: string | undefined; startTime?: string | undefined }>;
  /** spec.clusterServiceVersionNames. */
  clusterServiceVersionNames: readonly string[];
  /** The namespace from which pull secrets are copied (steps of kind `Secret`). In OLM it is OLM's own. */
  operatorNamespace: string;
  /** ISO date. */
  now: string;
  /** Longest wait for errors, and for CRDs that are not yet established, in milliseconds. OLM: one minute. */
  retryTimeoutMs: number;
  /** True if the namespace's group asked for it (`MIGRATE_ANNOTATION`). */
  migrateStoredVersions: boolean;
  /** True if the namespace's group asked for it (`REPLACE_COPIES_ANNOTATION`). */
  replaceCopiedCsvs?: boolean;
  /** True if existing definitions stay as they are (`KEEP_DEFINITIONS_ANNOTATION`). */
  keepsDefinitions?: boolean;
  /** Marks that objects of the plan have from their creation on. */
  startMarks?: StartMarks;
  /** The service account that the namespace's group names. */
  actingAs?: ObjectRef | undefined;
}>;

/** Everything read so far for one step. Immutable: {@link withAnswer} gives the next one. */
export type StepWorld = Readonly<{ answers: ReadonlyMap<string, StepAnswer> }>;

export const emptyWorld: StepWorld = { answers: new Map() };

/** Identity of a read: two equal reads have one answer. */
export function readKey(read: StepRead): string {
  if (read.read === 'get')
    return `get ${read.ref.apiVersion} ${read.ref.kind} ${read.ref.namespace ?? ''}/${read.ref.name}`;
  if (read.read === 'list') return `list ${read.apiVersion} ${read.kind} ${read.namespace ?? ''}`;
  const { account, may } = read;
  return `access ${account.namespace ?? ''}/${account.name} ${may.verb} ${may.resource}.${may.group} ${may.name}`;
}

export const withAnswer = (world: StepWorld, read: StepRead, answer: StepAnswer): StepWorld => ({
  answers: new Map([...world.answers, [readKey(read), answer]]),
});

/** The object a get answered; undefined when there is none or it was not read. */
export function objectIn(world: StepWorld, ref: ObjectRef): KubernetesObject | undefined {
  const answer = world.answers.get(readKey({ read: 'get', ref }));
  return answer !== undefined && 'object' in answer ? answer.object : undefined;
}

/** The list a read answered; empty when it was not read. */
export function listIn(world: StepWorld, read: StepRead): readonly KubernetesObject[] {
  const answer = world.answers.get(readKey(read));
  return answer !== undefined && 'list' in answer ? answer.list : [];
}

/**
 * The decision on one step. Either perform `actions` in order, after which the step has `status`; or the step
 * is impossible, and the plan stops here with `advice` next to the message (`status` if the step keeps a mark
 * of it). `waitingFor`: the cause if the step waits longer than expected.
 */
export type SettledDecision =
  | Readonly<{ actions: readonly Action[]; status: StepStatus; waitingFor?: string }>
  | Readonly<{ fail: string; forbidden?: boolean; status?: StepStatus; patienceMs?: number; advice?: Action }>;

/**
 * The alternative, before a decision is possible: write every object of a kind back unchanged. An object that
 * another writer changed or deleted meanwhile no longer needs it. Then do `afterwards`, with a
 * resourceVersion from before the objects were listed, then read and decide again.
 */
export type RewriteDecision = Readonly<{
  rewrite: Readonly<{ apiVersion: string; kind: string }>;
  because: StoredVersionMigration;
  afterwards: Action;
}>;

export type StepDecision = SettledDecision | RewriteDecision;

/** Result of performing a decision's actions. */
export type Performed =
  | Readonly<{ ok: true; warnings: readonly string[]; alreadyExisted?: boolean }>
  | Readonly<{
      ok: false;
      /** The API server's text. */
      message: string;
      /** Kubernetes' word: Forbidden, NotFound, Conflict, … */
      reason: string;
      /** True if discovery serves the step's kind; asked after a NotFound. */
      kindServed?: boolean;
    }>;

/** The end of one step in one pass. */
export type StepOutcome = Readonly<{
  status: StepStatus;
  error?: string;
  forbidden?: boolean;
  /** The cause if the plan waits longer than expected. */
  waitingFor?: string;
  /**
   * Time after the plan's first execution for which this error is retried; absent: the general retry timeout.
   */
  patienceMs?: number;
}>;
