import type { DeprecationEntry } from '../../catalog/model/catalog.js';
import type { Action } from '../../kernel/actions/action.js';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '../../kernel/api/cluster-extension.js';
import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { type ExtensionCondition, extensionCondition } from '../revision/extension-condition.js';
import type { InstalledBundle } from '../revision/installed-revision.js';
import { bundleOf, copied, type RevisionStates } from '../revision/revision-states.js';
import { deprecationConditions, unknownDeprecation } from './deprecation-conditions.js';
import { stampConditions } from './stamp-conditions.js';

/** The reason a pass could not carry out the spec of an extension. */
export type ExtensionTrouble = Readonly<{
  /** `Retrying` may succeed without a change; the others wait for another spec. */
  reason: 'Retrying' | 'Blocked' | 'InvalidConfiguration';
  message: string;
  /** The installed bundle is unknown too. */
  installedUnknown?: true;
}>;

/** Returns the reason a chosen bundle cannot be installed, in the words of OLM v1. */
export const resolvedBundleError = (
  { name, version }: Pick<InstalledBundle, 'name' | 'version'>,
  why: string,
): string => `error for resolved bundle ${goQuote(name)} with version ${goQuote(version)}: ${why}`;

export type ExtensionReport = Readonly<{
  states: RevisionStates;
  trouble?: ExtensionTrouble | undefined;
  /** Deprecations of the catalog that was asked; undefined if none could be. */
  deprecation?: readonly DeprecationEntry[] | undefined;
  /** A sentence to add once the pass succeeds: a version that is held back. */
  note?: string | undefined;
}>;

/** The status of a ClusterExtension after a pass (spec: v1-extension.md, "status"). */
export function extensionStatusOf(
  extension: ClusterExtension,
  report: ExtensionReport,
  now: Date,
): NonNullable<ClusterExtension['status']> {
  const { installed, rollingOut } = report.states;
  const generation = extension.metadata.generation;
  const conditions = stampConditions(extension.status?.conditions, conditionsOf(extension, report), generation, now);
  const revisions = [
    ...(installed === undefined ? [] : [{ name: installed.metadata.name ?? '' }]),
    ...rollingOut.map(activeRevision),
  ];
  return {
    conditions,
    ...(installed === undefined ? {} : { install: { bundle: bundleOf(installed).bundle } }),
    ...(revisions.length === 0 ? {} : { activeRevisions: revisions }),
  };
}

const activeRevision = ({ metadata, status }: ClusterObjectSet) => {
  const conditions = (status?.conditions ?? []).filter(({ type }) => type === 'Available' || type === 'Progressing');
  return { name: metadata.name ?? '', ...(conditions.length === 0 ? {} : { conditions }) };
};

function conditionsOf(extension: ClusterExtension, report: ExtensionReport): ExtensionCondition[] {
  const { installed } = report.states;
  const available = installed && copied(installed, 'Available');
  return [
    ...deprecations(extension, report),
    installedCondition(report),
    progressingCondition(report),
    ...(available === undefined ? [] : [available]),
  ];
}

function deprecations(extension: ClusterExtension, { states, deprecation }: ExtensionReport): ExtensionCondition[] {
  const installed = states.installed && bundleOf(states.installed).bundle.name;
  const unknown = unknownDeprecation(installed);
  if (deprecation === undefined) return unknown;
  const known = deprecationConditions(deprecation, extension.spec.source.catalog?.channels ?? [], installed ?? '');
  if (installed !== undefined) return known;
  return [...known.filter(({ type }) => type !== 'BundleDeprecated'), ...unknown.slice(-1)];
}

function installedCondition({ states, trouble }: ExtensionReport): ExtensionCondition {
  const { installed, rollingOut } = states;
  if (trouble?.installedUnknown) return extensionCondition('Installed', 'Unknown', 'Failed', trouble.message);
  if (installed !== undefined) {
    const message = `Installed bundle ${bundleOf(installed).image} successfully`;
    return extensionCondition('Installed', 'True', 'Succeeded', message);
  }
  const newest = rollingOut.at(-1);
  const reason = newest === undefined || copied(newest, 'Progressing')?.reason === 'Retrying' ? 'Failed' : 'Absent';
  return extensionCondition('Installed', 'False', reason, 'No bundle installed');
}

function progressingCondition({ states, trouble, note }: ExtensionReport): ExtensionCondition {
  if (trouble !== undefined) {
    const status = trouble.reason === 'Retrying' ? 'True' : 'False';
    return extensionCondition('Progressing', status, trouble.reason, trouble.message);
  }
  const shown = states.rollingOut.at(-1) ?? states.installed;
  const copy = shown && copied(shown, 'Progressing');
  if (shown === undefined || copy === undefined)
    return extensionCondition('Progressing', 'True', 'RollingOut', 'Waiting for the first revision.');
  if (copy.reason === 'RollingOut' || copy.reason === 'ProgressDeadlineExceeded') {
    return { ...copy, message: `${copy.message}${waitsFor(shown)}` };
  }
  if (note === undefined || copy.reason !== 'Succeeded') return copy;
  return extensionCondition('Progressing', 'True', 'Succeeded', `${copy.message} ${note}`);
}

/**
 * The object that a rollout waits for, and why it is not ready: a sentence that OLM v1
 * writes on the revision only.
 */
function waitsFor(revision: ClusterObjectSet): string {
  const available = copied(revision, 'Available');
  return available?.reason === 'ProbeFailure' ? ` ${available.message}` : '';
}

const REPORTED = ['Installed', 'Progressing', 'Available', 'Deprecated'];

/** Returns Events for the changes between the old status and the new one. */
export function statusEvents(
  extension: ClusterExtension,
  status: NonNullable<ClusterExtension['status']>,
): Extract<Action, { do: 'emitEvent' }>[] {
  const before = extension.status?.conditions ?? [];
  return (status.conditions ?? []).flatMap(({ type, status: now, reason, message }) => {
    const held = before.find((condition) => condition.type === type);
    const same = held?.status === now && held.reason === reason && held.message === message;
    const idle = held === undefined && (now === 'Unknown' || reason === 'NotDeprecated');
    if (same || idle || !REPORTED.includes(type)) return [];
    const isWarning = WARNINGS.has(reason) || (type === 'Deprecated' && now === 'True');
    return [extensionEvent(extension, isWarning ? 'Warning' : 'Normal', `${type}${reason}`, message)];
  });
}

const WARNINGS = new Set(['Retrying', 'Blocked', 'InvalidConfiguration', 'ProgressDeadlineExceeded', 'ProbeFailure']);

/** An Event about a ClusterExtension. */
export const extensionEvent = (
  { metadata }: ClusterExtension,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Extract<Action, { do: 'emitEvent' }> => ({
  do: 'emitEvent',
  about: { ...CLUSTER_EXTENSION_API, name: metadata.name ?? '', uid: metadata.uid },
  type,
  reason,
  message,
});
