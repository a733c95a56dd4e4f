import { nameFaults } from '#core/kernel/admission/metadata-faults';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { contentHash, type DesiredRevision } from '#core/v1/revision/build-revision';
import { reviewedHash } from '#core/v1/revision/reviewed-content';
import {
  BUNDLE_REFERENCE_KEY,
  CERTIFICATES_KEY,
  CONTENT_KEY,
  DIGEST_KEY,
  INPUTS_KEY,
  PLAN_KEY,
  QUERY_KEY,
} from '#core/v1/revision/revision-keys';
import { annotationOf } from '#core/v1/revision/revision-states';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { certificateProvider, inputsOf, prepareRevision } from './prepare-revision.js';
import { pullBundleContent } from './pull-bundle-content.js';
import { ifAdmitted, isUnchanged, type NextRevision, troubleOf } from './revision-decision.js';
import type { DesiredBundle } from './wanted-bundle.js';

const PULL_AGAIN_MS = 15_000;
/** A safety net: the job that is enqueued once the bundle is there may get lost. */
const FETCHED_AFTER_MS = 30_000;

type Chosen = Extract<DesiredBundle, { kind: 'bundle' }>;

/** Decides on the revision that a chosen bundle leads to. Writes nothing. */
export async function followBundle(pass: ExtensionPass, chosen: Chosen): Promise<NextRevision> {
  const [fault] = nameFaults('its name', chosen.bundle.bundle.name);
  if (fault === undefined) return followNamed(pass, chosen);
  const why = `${fault}, and status.install.bundle.name accepts no other`;
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
  return isReviewed(pass, prepared) ? ifAdmitted(pass, prepared) : otherContent(chosen);
}

function isReviewed({ read }: ExtensionPass, { phases }: DesiredRevision): boolean {
  const reviewed = read.extension.metadata.annotations?.[PLAN_KEY];
  return reviewed === undefined || reviewed === reviewedHash(phases);
}

/** Refuses content other than the approved one (design: fleet.md §3.2). */
const otherContent = ({ bundle }: Chosen): NextRevision => {
  const message = `its content differs from the content that the fleet reviewed (annotation ${PLAN_KEY})`;
  return { next: 'trouble', trouble: troubleOf(bundle, 'Blocked', message), cause: 'OtherContent' };
};

const isExpiring = (newest: ClusterObjectSet, now: Date): boolean => {
  const until = annotationOf(newest, CERTIFICATES_KEY);
  return until !== undefined && !(Date.parse(until) > now.getTime());
};

const isByDigest = ({ bundle }: Chosen): boolean => /@sha256:[0-9a-f]{64}$/.test(bundle.image);

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
