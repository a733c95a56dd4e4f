import type { DeprecationEntry } from '#core/catalog/model/catalog';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { nameFaults } from '#core/kernel/verdict/metadata-faults';
import { type ExtensionTrouble, resolvedBundleError } from '#core/v1/extension/report-extension';
import { contentHash, type DesiredRevision } from '#core/v1/revision/build-revision';
import type { InstalledRevision } from '#core/v1/revision/installed-revision';
import { reviewedHash } from '#core/v1/revision/reviewed-content';
import {
  BUNDLE_NAME_KEY,
  BUNDLE_REFERENCE_KEY,
  BUNDLE_RELEASE_KEY,
  BUNDLE_VERSION_KEY,
  CERTIFICATES_KEY,
  CONTENT_KEY,
  DIGEST_KEY,
  INPUTS_KEY,
  OLM_PROPERTIES_KEY,
  PLAN_KEY,
  QUERY_KEY,
  ROLLBACK_KEY,
} from '#core/v1/revision/revision-keys';
import { annotationOf, bundleOf } from '#core/v1/revision/revision-states';
import type { ExtensionPass } from './extension-pass.js';
import { type ReleaseRevision, releaseRevision } from './helm-release.js';
import { accountProblem, crdProblems, permissionProblems } from './preflight.js';
import { certificateProvider, inputsOf, prepareRevision } from './prepare-revision.js';
import { pullBundleContent } from './pull-bundle-content.js';
import { readContent } from './read-content.js';
import { type DesiredBundle, wantedBundle } from './wanted-bundle.js';

/** The revision that the desired state leads to. */
export type NextRevision = Readonly<{
  deprecation?: readonly DeprecationEntry[] | undefined;
  note?: string | undefined;
  againAfterMs?: number | undefined;
}> &
  (
    | Readonly<{ next: 'wait' }>
    /** `cause`: its bundle cannot be pulled; its content is not what a fleet has reviewed. */
    | Readonly<{ next: 'trouble'; trouble: ExtensionTrouble; cause?: 'Registry' | 'OtherContent' }>
    /**
     * The newest revision, if there is one, is the desired one; `annotations`: what it
     * should say of its origin.
     */
    | Readonly<{ next: 'keep'; annotations?: Readonly<Record<string, string>> }>
    | Readonly<{ next: 'make'; desired: DesiredRevision }>
  );

const PULL_AGAIN_MS = 15_000;
const CHECK_AGAIN_MS = 15_000;
/** A safety net: the job that is enqueued once the bundle is there may get lost. */
const FETCHED_AFTER_MS = 30_000;

/** Resolves, pulls, renders and checks the desired bundle. Writes nothing. */
export async function nextRevision(pass: ExtensionPass): Promise<NextRevision> {
  const account = await accountProblem(pass);
  if (account !== undefined) {
    const trouble = { reason: 'Retrying', message: account, installedUnknown: true } as const;
    return { next: 'trouble', trouble, againAfterMs: CHECK_AGAIN_MS };
  }
  const release = await releaseRevision(pass);
  if (release !== undefined) return takeOver(pass, release);
  const wanted = await wantedBundle(pass);
  if (wanted.kind === 'wait') return { next: 'wait' };
  if (wanted.kind === 'trouble') return { next: 'trouble', trouble: wanted.trouble };
  if (wanted.kind === 'rollback') return rollBack(pass, wanted.to);
  const { deprecation, note } = wanted;
  return { deprecation, note, ...(await followBundle(pass, wanted)) };
}

/** What runs stays as it is, so its CRDs need no check. */
async function takeOver(pass: ExtensionPass, release: ReleaseRevision): Promise<NextRevision> {
  const again = { againAfterMs: CHECK_AGAIN_MS };
  if ('error' in release) {
    const trouble = { reason: 'Retrying', message: release.error, installedUnknown: true } as const;
    return { next: 'trouble', trouble, ...again };
  }
  const { desired } = release;
  const problems = await permissionProblems(pass, desired);
  if (problems !== undefined) {
    return { next: 'trouble', trouble: troubleOf(desired.from, 'Retrying', problems), ...again };
  }
  return { next: 'make', desired, note: 'A Helm release of OLM v1 becomes a revision; what runs stays as it is.' };
}

/** Content comes from the cluster itself: neither catalog nor registry is needed. */
async function rollBack(pass: ExtensionPass, to: ClusterObjectSet): Promise<NextRevision> {
  const newest = pass.read.states.active.at(-1);
  const number = to.spec.revision;
  const note = `Held at the content of revision ${number} by annotation ${ROLLBACK_KEY}.`;
  const content = annotationOf(to, CONTENT_KEY);
  if (newest !== undefined && annotationOf(newest, CONTENT_KEY) === content) return { next: 'keep', note };
  const read = readContent(pass, to);
  if ('error' in read) {
    const message = `the manifests of revision ${number} cannot be read: ${read.error}`;
    return { next: 'trouble', trouble: { reason: 'Blocked', message } };
  }
  const bundle = bundleOf(to);
  const phases = read.phases.map(({ name, objects }) => ({ name, objects: objects.map(({ object }) => object) }));
  const desired: DesiredRevision = {
    from: bundle,
    phases,
    olmProperties: annotationOf(to, OLM_PROPERTIES_KEY),
    inputs: annotationOf(to, INPUTS_KEY) ?? '',
    query: `rollback to ${number}`,
    digest: annotationOf(to, DIGEST_KEY) ?? '',
  };
  return { note, ...(await checked(pass, desired)) };
}

type Chosen = Extract<DesiredBundle, { kind: 'bundle' }>;

/** The revision that a chosen bundle leads to. Writes nothing. */
export async function followBundle(pass: ExtensionPass, chosen: Chosen): Promise<NextRevision> {
  const [fault] = nameFaults('its name', chosen.bundle.bundle.name);
  if (fault === undefined) return followNamed(pass, chosen);
  const why = `${fault}, and status.install.bundle.name takes no other`;
  return { next: 'trouble', trouble: troubleOf(chosen.bundle, 'Retrying', why) };
}

async function followNamed(pass: ExtensionPass, chosen: Chosen): Promise<NextRevision> {
  const newest = pass.read.states.active.at(-1);
  const provider = await certificateProvider(pass.client);
  const inputs = inputsOf(pass.read.extension, chosen, provider);
  const isSame = newest !== undefined && annotationOf(newest, INPUTS_KEY) === inputs && !isExpiring(newest, pass.now);
  if (isSame && isByDigest(chosen)) return { next: 'keep', annotations: { [QUERY_KEY]: chosen.query } };
  const content = await pullBundleContent(pass, chosen.bundle.image);
  if ('stillFetching' in content) return { next: 'wait', againAfterMs: FETCHED_AFTER_MS };
  if ('error' in content) {
    if (isUnchanged(newest, chosen.bundle)) return { next: 'keep', againAfterMs: PULL_AGAIN_MS };
    const trouble = troubleOf(chosen.bundle, content.reason, content.error);
    const again = content.reason === 'Retrying' ? { againAfterMs: PULL_AGAIN_MS } : {};
    return { next: 'trouble', trouble, cause: 'Registry', ...again };
  }
  const isSameContent = isSame && annotationOf(newest, DIGEST_KEY) === content.digest;
  if (isSameContent) return { next: 'keep', annotations: { [QUERY_KEY]: chosen.query } };
  const prepared = await prepareRevision(pass, chosen, content, provider);
  if ('reason' in prepared)
    return { next: 'trouble', trouble: troubleOf(chosen.bundle, prepared.reason, prepared.message) };
  if (newest !== undefined && annotationOf(newest, CONTENT_KEY) === contentHash(prepared.phases)) {
    return { next: 'keep', annotations: annotationsOf(prepared) };
  }
  return isReviewed(pass, prepared) ? checked(pass, prepared) : otherContent(chosen);
}

function isReviewed({ read }: ExtensionPass, { phases }: DesiredRevision): boolean {
  const reviewed = read.extension.metadata.annotations?.[PLAN_KEY];
  return reviewed === undefined || reviewed === reviewedHash(phases);
}

/** What was approved is not what would be made: nothing is (design: fleet.md §3.2). */
const otherContent = ({ bundle }: Chosen): NextRevision => {
  const message = `its content is not what the fleet has reviewed, which annotation ${PLAN_KEY} names`;
  return { next: 'trouble', trouble: troubleOf(bundle, 'Blocked', message), cause: 'OtherContent' };
};

const isExpiring = (newest: ClusterObjectSet, now: Date): boolean => {
  const until = annotationOf(newest, CERTIFICATES_KEY);
  return until !== undefined && !(Date.parse(until) > now.getTime());
};

const isByDigest = ({ bundle }: Chosen): boolean => /@sha256:[0-9a-f]{64}$/.test(bundle.image);

/** The newest revision is of that bundle, whatever its content. */
export const isUnchanged = (newest: ClusterObjectSet | undefined, { bundle }: InstalledRevision): boolean =>
  newest !== undefined &&
  annotationOf(newest, BUNDLE_NAME_KEY) === bundle.name &&
  annotationOf(newest, BUNDLE_VERSION_KEY) === bundle.version &&
  annotationOf(newest, BUNDLE_RELEASE_KEY) === bundle.release;

const annotationsOf = ({
  from,
  inputs,
  query,
  digest,
  certificatesUntil,
}: DesiredRevision): Record<string, string> => ({
  [BUNDLE_REFERENCE_KEY]: from.image,
  [INPUTS_KEY]: inputs,
  [QUERY_KEY]: query,
  [DIGEST_KEY]: digest,
  ...(certificatesUntil === undefined ? {} : { [CERTIFICATES_KEY]: certificatesUntil }),
});

async function checked(pass: ExtensionPass, desired: DesiredRevision): Promise<NextRevision> {
  const problems = (await permissionProblems(pass, desired)) ?? (await crdProblems(pass, desired));
  if (problems === undefined) return { next: 'make', desired };
  const trouble = troubleOf(desired.from, 'Retrying', problems);
  return { next: 'trouble', trouble, againAfterMs: CHECK_AGAIN_MS };
}

/** What keeps a chosen bundle from being installed, in the words of OLM v1. */
export function troubleOf(
  { bundle }: InstalledRevision,
  reason: ExtensionTrouble['reason'],
  why: string,
): ExtensionTrouble {
  return { reason, message: resolvedBundleError(bundle, why) };
}
