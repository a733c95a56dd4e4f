import { CLUSTER_OBJECT_SET_API, type ClusterObjectSet } from '#core/api/cluster-object-set';
import type { DeprecationEntry } from '#core/extension/package-content';
import { type ExtensionTrouble, extensionEvent } from '#core/extension/report-extension';
import { contentHash, type RevisionWish } from '#core/revision/build-revision';
import {
  BUNDLE_NAME_KEY,
  BUNDLE_REFERENCE_KEY,
  BUNDLE_VERSION_KEY,
  CONTENT_KEY,
  DIGEST_KEY,
  INPUTS_KEY,
  QUERY_KEY,
} from '#core/revision/revision-keys';
import { annotationOf } from '#core/revision/revision-states';
import { goQuote } from '#core/versions/go-quote';
import { performActions } from '#platform/kube/perform-actions';
import type { ExtensionPass } from './extension-pass.js';
import { makeRevision } from './make-revision.js';
import { accountProblem, crdProblems } from './preflight.js';
import { certificateProvider, inputsOf, prepareRevision } from './prepare-revision.js';
import { pullBundleContent } from './pull-bundle-content.js';
import { type WantedBundle, wantedBundle } from './wanted-bundle.js';

/** What came of the wish in one pass. `moved`: something was written, and what was read is old. */
export type WishOutcome = Readonly<{
  moved: boolean;
  /** No answer yet: the status is left as it is. */
  waiting?: true;
  trouble?: ExtensionTrouble | undefined;
  deprecation?: readonly DeprecationEntry[] | undefined;
  note?: string | undefined;
  againAfterMs?: number | undefined;
}>;

const PULL_AGAIN_MS = 15_000;
const CHECK_AGAIN_MS = 15_000;

/** Brings the newest revision to what is wished: resolves, pulls, renders, checks, and stores a new one where it differs. */
export async function followWish(pass: ExtensionPass): Promise<WishOutcome> {
  const account = await accountProblem(pass);
  if (account !== undefined) {
    const trouble = { reason: 'Retrying', message: account, installedUnknown: true } as const;
    return { moved: false, trouble, againAfterMs: CHECK_AGAIN_MS };
  }
  const wanted = await wantedBundle(pass);
  if (wanted.kind === 'wait') return { moved: false, waiting: true };
  if (wanted.kind === 'trouble') return { moved: false, trouble: wanted.trouble };
  if (wanted.kind === 'keep') return { moved: false };
  const { deprecation, note } = wanted;
  return { deprecation, note, ...(await follow(pass, wanted)) };
}

type Chosen = Extract<WantedBundle, { kind: 'bundle' }>;
type Followed = Pick<WishOutcome, 'moved' | 'trouble' | 'againAfterMs'>;

async function follow(pass: ExtensionPass, chosen: Chosen): Promise<Followed> {
  const newest = pass.read.states.active.at(-1);
  const provider = await certificateProvider(pass.client);
  const isSame =
    newest !== undefined && annotationOf(newest, INPUTS_KEY) === inputsOf(pass.read.extension, chosen, provider);
  if (isSame && isByDigest(chosen)) return annotate(pass, newest, { [QUERY_KEY]: chosen.query });
  const content = await pullBundleContent(pass, chosen.bundle.image);
  if ('error' in content) {
    if (isUnchanged(newest, chosen)) return { moved: false, againAfterMs: PULL_AGAIN_MS };
    return { moved: false, againAfterMs: PULL_AGAIN_MS, trouble: troubleOf(chosen, content.reason, content.error) };
  }
  const isSameContent = isSame && annotationOf(newest, DIGEST_KEY) === content.digest;
  if (isSameContent) return annotate(pass, newest, { [QUERY_KEY]: chosen.query });
  const prepared = prepareRevision(pass, chosen, content, provider);
  if ('reason' in prepared) return { moved: false, trouble: troubleOf(chosen, prepared.reason, prepared.message) };
  if (newest !== undefined && annotationOf(newest, CONTENT_KEY) === contentHash(prepared.phases)) {
    return annotate(pass, newest, annotationsOf(prepared));
  }
  return store(pass, chosen, prepared, newest);
}

const isByDigest = ({ bundle }: Chosen): boolean => /@sha256:[0-9a-f]{64}$/.test(bundle.image);

const isUnchanged = (newest: ClusterObjectSet | undefined, { bundle: { bundle } }: Chosen): boolean =>
  newest !== undefined &&
  annotationOf(newest, BUNDLE_NAME_KEY) === bundle.name &&
  annotationOf(newest, BUNDLE_VERSION_KEY) === bundle.version;

const annotationsOf = ({ from, inputs, query, digest }: RevisionWish): Record<string, string> => ({
  [BUNDLE_REFERENCE_KEY]: from.image,
  [INPUTS_KEY]: inputs,
  [QUERY_KEY]: query,
  [DIGEST_KEY]: digest,
});

/** The newest revision is what is wished; only what it says of its origin, and its deadline, may be out of date. */
async function annotate(
  { client, read, now, signal }: ExtensionPass,
  newest: ClusterObjectSet,
  annotations: Readonly<Record<string, string>>,
): Promise<Followed> {
  const { progressDeadlineMinutes = null } = read.extension.spec;
  const ref = { ...CLUSTER_OBJECT_SET_API, name: newest.metadata.name ?? '' };
  const patch = { metadata: { annotations }, spec: { progressDeadlineMinutes } };
  const known = () => newest;
  const outcome = await performActions(client, [{ do: 'patch', ref, patch }], now, { known, signal });
  if (!outcome.ok) throw outcome.error;
  return { moved: outcome.wrote > 0 };
}

async function store(
  pass: ExtensionPass,
  chosen: Chosen,
  prepared: RevisionWish,
  newest: ClusterObjectSet | undefined,
): Promise<Followed> {
  const problems = await crdProblems(pass, prepared);
  if (problems !== undefined) {
    return { moved: false, againAfterMs: CHECK_AGAIN_MS, trouble: troubleOf(chosen, 'Retrying', problems) };
  }
  const revision = await makeRevision(pass, prepared);
  const { bundle } = chosen.bundle;
  const before = newest && annotationOf(newest, DIGEST_KEY);
  const changed =
    isUnchanged(newest, chosen) && before !== undefined && before !== prepared.digest
      ? `. Bundle ${bundle.name} has other content under the same version ${bundle.version}: it was ${before}, it is ${prepared.digest}`
      : '';
  const reason = changed === '' ? 'RevisionCreated' : 'BundleContentChanged';
  const message = `Revision ${revision.metadata.name} for bundle ${bundle.name} version ${bundle.version} is made${changed}`;
  const event = extensionEvent(pass.read.extension, 'Normal', reason, message);
  await performActions(pass.client, [event], pass.now, { signal: pass.signal });
  return { moved: true };
}

function troubleOf({ bundle: { bundle } }: Chosen, reason: ExtensionTrouble['reason'], why: string): ExtensionTrouble {
  const of = `error for resolved bundle ${goQuote(bundle.name)} with version ${goQuote(bundle.version)}`;
  return { reason, message: `${of}: ${why}` };
}
