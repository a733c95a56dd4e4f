import type { DeprecationEntry } from '#core/catalog/model/catalog';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type ExtensionTrouble, resolvedBundleError } from '#core/v1/extension/report-extension';
import type { DesiredRevision } from '#core/v1/revision/build-revision';
import type { InstalledRevision } from '#core/v1/revision/installed-revision';
import { BUNDLE_NAME_KEY, BUNDLE_RELEASE_KEY, BUNDLE_VERSION_KEY } from '#core/v1/revision/revision-keys';
import { annotationOf } from '#core/v1/revision/revision-states';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { crdProblems, permissionProblems } from './preflight.js';

/** Revision that the desired state leads to. */
export type NextRevision = Readonly<{
  deprecation?: readonly DeprecationEntry[] | undefined;
  note?: string | undefined;
  againAfterMs?: number | undefined;
}> &
  (
    | Readonly<{ next: 'wait' }>
    /** `cause`: its bundle cannot be pulled, or its content is not the content that a fleet has reviewed. */
    | Readonly<{ next: 'trouble'; trouble: ExtensionTrouble; cause?: 'Registry' | 'OtherContent' }>
    /**
     * The newest revision, if there is one, is the desired one. `annotations`: the desired note of its
     * origin.
     */
    | Readonly<{ next: 'keep'; annotations?: Readonly<Record<string, string>> }>
    | Readonly<{ next: 'make'; desired: DesiredRevision }>
  );

/** Time until rights and CRDs are checked again. */
export const CHECK_AGAIN_MS = 15_000;

/** Makes the desired revision, if rights and CRDs of the cluster admit it. */
export async function ifAdmitted(pass: ExtensionPass, desired: DesiredRevision): Promise<NextRevision> {
  const problems = (await permissionProblems(pass, desired)) ?? (await crdProblems(pass, desired));
  if (problems === undefined) return { next: 'make', desired };
  const trouble = troubleOf(desired.from, 'Retrying', problems);
  return { next: 'trouble', trouble, againAfterMs: CHECK_AGAIN_MS };
}

/** Returns the obstacle to the install of a chosen bundle, in the words of OLM v1. */
export function troubleOf(
  { bundle }: InstalledRevision,
  reason: ExtensionTrouble['reason'],
  why: string,
): ExtensionTrouble {
  return { reason, message: resolvedBundleError(bundle, why) };
}

/** True if the newest revision is of that bundle, whatever its content. */
export const isUnchanged = (newest: ClusterObjectSet | undefined, { bundle }: InstalledRevision): boolean =>
  newest !== undefined &&
  annotationOf(newest, BUNDLE_NAME_KEY) === bundle.name &&
  annotationOf(newest, BUNDLE_VERSION_KEY) === bundle.version &&
  annotationOf(newest, BUNDLE_RELEASE_KEY) === bundle.release;
