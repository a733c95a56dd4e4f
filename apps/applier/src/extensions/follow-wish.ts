import { CLUSTER_OBJECT_SET_API, type ClusterObjectSet } from '#core/api/cluster-object-set';
import type { InstalledRevision } from '#core/extension/extension-status';
import type { DeprecationEntry } from '#core/extension/package-content';
import { type ExtensionTrouble, extensionEvent } from '#core/extension/report-extension';
import { contentHash, type RevisionWish } from '#core/revision/build-revision';
import {
  BUNDLE_NAME_KEY,
  BUNDLE_REFERENCE_KEY,
  BUNDLE_VERSION_KEY,
  CERTIFICATES_KEY,
  CONTENT_KEY,
  DIGEST_KEY,
  INPUTS_KEY,
  OLM_PROPERTIES_KEY,
  QUERY_KEY,
  ROLLBACK_KEY,
} from '#core/revision/revision-keys';
import { annotationOf, bundleOf } from '#core/revision/revision-states';
import { goQuote } from '#core/versions/go-quote';
import { performActions } from '#platform/kube/perform-actions';
import type { ExtensionPass } from './extension-pass.js';
import { makeRevision } from './make-revision.js';
import { accountProblem, crdProblems, permissionProblems } from './preflight.js';
import { certificateProvider, inputsOf, prepareRevision } from './prepare-revision.js';
import { pullBundleContent } from './pull-bundle-content.js';
import { readContent } from './read-content.js';
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
  if (wanted.kind === 'rollback') return rollBack(pass, wanted.to);
  const { deprecation, note } = wanted;
  return { deprecation, note, ...(await follow(pass, wanted)) };
}

/** Content comes from the cluster itself: neither catalog nor registry is needed. */
async function rollBack(pass: ExtensionPass, to: ClusterObjectSet): Promise<WishOutcome> {
  const newest = pass.read.states.active.at(-1);
  const number = to.spec.revision;
  const note = `Held at the content of revision ${number} by annotation ${ROLLBACK_KEY}.`;
  const content = annotationOf(to, CONTENT_KEY);
  if (newest !== undefined && annotationOf(newest, CONTENT_KEY) === content) return { moved: false, note };
  const read = readContent(pass, to);
  if ('error' in read) {
    const message = `the manifests of revision ${number} cannot be read: ${read.error}`;
    return { moved: false, trouble: { reason: 'Blocked', message } };
  }
  const bundle = bundleOf(to);
  const phases = read.phases.map(({ name, objects }) => ({ name, objects: objects.map(({ object }) => object) }));
  const wish: RevisionWish = {
    from: bundle,
    phases,
    olmProperties: annotationOf(to, OLM_PROPERTIES_KEY),
    inputs: annotationOf(to, INPUTS_KEY) ?? '',
    query: `rollback to ${number}`,
    digest: annotationOf(to, DIGEST_KEY) ?? '',
  };
  return { note, ...(await store(pass, bundle, wish, newest)) };
}

type Chosen = Extract<WantedBundle, { kind: 'bundle' }>;
type Followed = Pick<WishOutcome, 'moved' | 'trouble' | 'againAfterMs'>;

async function follow(pass: ExtensionPass, chosen: Chosen): Promise<Followed> {
  const newest = pass.read.states.active.at(-1);
  const provider = await certificateProvider(pass.client);
  const inputs = inputsOf(pass.read.extension, chosen, provider);
  const isSame = newest !== undefined && annotationOf(newest, INPUTS_KEY) === inputs && !isExpiring(newest, pass.now);
  if (isSame && isByDigest(chosen)) return annotate(pass, newest, { [QUERY_KEY]: chosen.query });
  const content = await pullBundleContent(pass, chosen.bundle.image);
  if ('error' in content) {
    if (isUnchanged(newest, chosen.bundle)) return { moved: false, againAfterMs: PULL_AGAIN_MS };
    return {
      moved: false,
      againAfterMs: PULL_AGAIN_MS,
      trouble: troubleOf(chosen.bundle, content.reason, content.error),
    };
  }
  const isSameContent = isSame && annotationOf(newest, DIGEST_KEY) === content.digest;
  if (isSameContent) return annotate(pass, newest, { [QUERY_KEY]: chosen.query });
  const prepared = await prepareRevision(pass, chosen, content, provider);
  if ('reason' in prepared)
    return { moved: false, trouble: troubleOf(chosen.bundle, prepared.reason, prepared.message) };
  if (newest !== undefined && annotationOf(newest, CONTENT_KEY) === contentHash(prepared.phases)) {
    return annotate(pass, newest, annotationsOf(prepared));
  }
  return store(pass, chosen.bundle, prepared, newest);
}

const isExpiring = (newest: ClusterObjectSet, now: Date): boolean => {
  const until = annotationOf(newest, CERTIFICATES_KEY);
  return until !== undefined && !(Date.parse(until) > now.getTime());
};

const isByDigest = ({ bundle }: Chosen): boolean => /@sha256:[0-9a-f]{64}$/.test(bundle.image);

const isUnchanged = (newest: ClusterObjectSet | undefined, { bundle }: InstalledRevision): boolean =>
  newest !== undefined &&
  annotationOf(newest, BUNDLE_NAME_KEY) === bundle.name &&
  annotationOf(newest, BUNDLE_VERSION_KEY) === bundle.version;

const annotationsOf = ({ from, inputs, query, digest, certificatesUntil }: RevisionWish): Record<string, string> => ({
  [BUNDLE_REFERENCE_KEY]: from.image,
  [INPUTS_KEY]: inputs,
  [QUERY_KEY]: query,
  [DIGEST_KEY]: digest,
  ...(certificatesUntil === undefined ? {} : { [CERTIFICATES_KEY]: certificatesUntil }),
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
  from: InstalledRevision,
  prepared: RevisionWish,
  newest: ClusterObjectSet | undefined,
): Promise<Followed> {
  const problems = (await permissionProblems(pass, prepared)) ?? (await crdProblems(pass, prepared));
  if (problems !== undefined) {
    return { moved: false, againAfterMs: CHECK_AGAIN_MS, trouble: troubleOf(from, 'Retrying', problems) };
  }
  const made = await makeRevision(pass, prepared);
  if ('error' in made) return { moved: false, trouble: troubleOf(from, 'Blocked', made.error) };
  const { bundle } = from;
  const before = newest && annotationOf(newest, DIGEST_KEY);
  const changed =
    isUnchanged(newest, from) && before !== undefined && before !== prepared.digest
      ? `. Bundle ${bundle.name} has other content under the same version ${bundle.version}: it was ${before}, it is ${prepared.digest}`
      : '';
  const reason = changed === '' ? 'RevisionCreated' : 'BundleContentChanged';
  const message = `Revision ${made.revision.metadata.name} for bundle ${bundle.name} version ${bundle.version} is made${changed}`;
  const event = extensionEvent(pass.read.extension, 'Normal', reason, message);
  await performActions(pass.client, [event], pass.now, { signal: pass.signal });
  return { moved: true };
}

function troubleOf({ bundle }: InstalledRevision, reason: ExtensionTrouble['reason'], why: string): ExtensionTrouble {
  const of = `error for resolved bundle ${goQuote(bundle.name)} with version ${goQuote(bundle.version)}`;
  return { reason, message: `${of}: ${why}` };
}
