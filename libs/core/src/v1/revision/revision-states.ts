import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { isTrue } from '../../kernel/conditions/condition-list.js';
import { type ExtensionCondition, extensionCondition } from './extension-condition.js';
import type { InstalledRevision } from './installed-revision.js';
import { BUNDLE_NAME_KEY, BUNDLE_REFERENCE_KEY, BUNDLE_RELEASE_KEY, BUNDLE_VERSION_KEY } from './revision-keys.js';

/**
 * The revisions of one extension by their role in it (spec: v1-apply.md §7, "Extension view"). Each list
 * ascending.
 */
export type RevisionStates = Readonly<{
  /** The newest active one that succeeded once. */
  installed: ClusterObjectSet | undefined;
  /** Active ones that did not succeed yet. */
  rollingOut: readonly ClusterObjectSet[];
  active: readonly ClusterObjectSet[];
  archived: readonly ClusterObjectSet[];
  /** Archived revisions with objects that are not all deleted yet. */
  leaving: readonly ClusterObjectSet[];
  /** The highest number of all existing revisions. */
  highestNumber: number;
}>;

/** Sorts the revisions of one extension. Those that are being deleted are left out. */
export function revisionStates(revisions: readonly ClusterObjectSet[]): RevisionStates {
  const sorted = revisions.toSorted((a, b) => a.spec.revision - b.spec.revision);
  const there = sorted.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const active = there.filter((revision) => !isArchived(revision));
  const installed = active.findLast(hasSucceeded);
  return {
    installed,
    rollingOut: active.filter((revision) => !hasSucceeded(revision)),
    active,
    archived: there.filter(isArchived),
    leaving: there.filter((revision) => isArchived(revision) && !isTakenApart(revision)),
    highestNumber: sorted.at(-1)?.spec.revision ?? 0,
  };
}

export const isArchived = ({ spec }: ClusterObjectSet): boolean => spec.lifecycleState === 'Archived';

/** True once the revision has succeeded: that is never withdrawn. */
export const hasSucceeded = ({ status }: ClusterObjectSet): boolean => isTrue(status?.conditions, 'Succeeded');

const isTakenApart = ({ status }: ClusterObjectSet): boolean =>
  status?.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'Archived') ?? false;

export const annotationOf = ({ metadata }: ClusterObjectSet, key: string): string | undefined =>
  metadata.annotations?.[key];

/** Returns the bundle that gave a revision its content, with its image. */
export function bundleOf(revision: ClusterObjectSet): InstalledRevision {
  const release = annotationOf(revision, BUNDLE_RELEASE_KEY);
  return {
    bundle: {
      name: annotationOf(revision, BUNDLE_NAME_KEY) ?? '',
      version: annotationOf(revision, BUNDLE_VERSION_KEY) ?? '',
      ...(release === undefined ? {} : { release }),
    },
    image: annotationOf(revision, BUNDLE_REFERENCE_KEY) ?? '',
  };
}

/** A condition of a revision as its extension shows it. */
export function copied({ status }: ClusterObjectSet, type: ExtensionCondition['type']): ExtensionCondition | undefined {
  const found = status?.conditions?.find((condition) => condition.type === type);
  if (found === undefined) return undefined;
  const known = found.status === 'True' || found.status === 'False' ? found.status : 'Unknown';
  return extensionCondition(type, known, found.reason, found.message);
}
