import { gzipSync } from 'node:zlib';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { ExtensionExplanation } from '#core/v1/extension/explain-extension';
import { buildRevision } from '#core/v1/revision/build-revision';
import { type PlannedObject, planObjects } from '#core/v1/revision/plan-objects';
import type { ContentObject } from '#core/v1/revision/revision-content';
import { ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { bundleOf, hasSucceeded } from '#core/v1/revision/revision-states';
import { SystemClock } from '#platform/clock/system-clock';
import { extensionGatesOf } from '#platform/config/extension-gates';
import { inParallel } from '#platform/fairness/in-parallel';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { PassReader } from '../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import { nextRevision } from '../../../../libs/lifecycle/src/v1/desired/next-revision.js';
import { type NextRevision, troubleOf } from '../../../../libs/lifecycle/src/v1/desired/revision-decision.js';
import { type ExtensionPass, siblingsOf } from '../../../../libs/lifecycle/src/v1/extensions/extension-pass.js';
import { readContent } from '../../../../libs/lifecycle/src/v1/extensions/read-content.js';
import { readExtension } from '../../../../libs/lifecycle/src/v1/extensions/read-extension.js';
import { type ExtensionPlan, resolvedPlan } from '../resolution/plan-extensions.js';
import { extensionDepsOf } from './extension-deps.js';
import { liveClusterCatalogs } from './live-cluster-catalogs.js';
import type { NextStepDeps } from './next-step.js';
import { RecordingClient } from './recording-client.js';

/** The hub's next step for a ClusterExtension, up to the end of the rollout. */
export type ExtensionStep = Readonly<{
  cluster: string;
  extension: string;
  /**
   * `make`: a new revision; `rollout`, `keep`: the newest one is the desired one; `nothing`: see `trouble`.
   */
  next: 'make' | 'rollout' | 'keep' | 'nothing';
  /** Version of the bundle that is installed. */
  installed?: string;
  /** Name of the revision that is wanted, and its bundle. */
  revision?: string;
  bundle?: string;
  version?: string;
  image?: string;
  /**
   * The explanation of the chosen bundle, or of the lack of one. Absent if catalogs are not asked: a rollout
   * continues, or an annotation holds it.
   */
  explanation?: ExtensionExplanation;
  /** The block of the step, or the parts that are held back. */
  note?: string;
  /** The reason that the step has no effect, or only a partial one. */
  trouble?: string;
  /** The next change of each object of that revision, and of objects that only earlier revisions have. */
  objects: readonly PlannedObject[];
  /**
   * Catalogs with content that could not be read from here, each with the cause; the hub may have other
   * logins.
   */
  unread: readonly string[];
}>;

const OBJECTS_AT_ONCE = 8;
/** A UID that no revision of a cluster has. */
const PLANNED_UID = 'planned';

/**
 * Returns the applier's own decision on an extension as it is now, and its rollout's next change of each
 * object. Writes nothing. Returns undefined if there is no such extension.
 */
export async function nextRevisionStep(
  client: KubeClient,
  extension: string,
  deps: NextStepDeps,
): Promise<ExtensionStep | undefined> {
  const gates = extensionGatesOf(deps.settings);
  const recording = new RecordingClient(client);
  const reader = new PassReader(recording);
  const read = await readExtension(reader, extension, deps.settings.systemNamespace);
  if (read === undefined) return undefined;
  const { catalogs, unread } = await liveClusterCatalogs(client, gates);
  const installed = read.states.installed && bundleOf(read.states.installed).bundle;
  const resolved = resolvedPlan(read.extension, installed, catalogs, gates);
  const store = await solved(client.cluster, extension, resolved);
  const pass = passOf({ client: recording, reader, read }, store, deps);
  const decided = await nextRevision(pass);
  const has = installed === undefined ? {} : { installed: installed.version };
  const common = { cluster: client.cluster, extension, ...has, unread };
  const isHeld = read.extension.metadata.annotations?.[ROLLBACK_KEY] !== undefined;
  return { ...common, ...(await outcomeOf(pass, decided, isHeld ? undefined : resolved?.plan)) };
}

type Resolved = NonNullable<ReturnType<typeof resolvedPlan>>;
type Store = MemoryProblemStore<ExtensionProblems>;

/**
 * Returns the store as poller and resolver would have left it in Redis, apart from the catalogs: no resolver
 * solves it again.
 */
async function solved(cluster: string, extension: string, resolved: Resolved | undefined): Promise<Store> {
  const store: Store = new MemoryProblemStore();
  if (resolved === undefined) return store;
  const { desired, solution } = resolved;
  const problem = await store.putProblem({ v: 1, extension: desired, catalogs: [] }, new Map());
  await store.putObservation(cluster, extension, { problem });
  await store.putSolution(problem, solution);
  return store;
}

function passOf(
  { client, reader, read }: Pick<ExtensionPass, 'client' | 'reader' | 'read'>,
  store: Store,
  deps: NextStepDeps,
): ExtensionPass {
  return {
    deps: extensionDepsOf(deps, store),
    read,
    reader,
    client,
    writer: client,
    now: new SystemClock().now(),
    signal: new AbortController().signal,
    patience: Patience.endless(),
  };
}

type Outcome = Omit<ExtensionStep, 'cluster' | 'extension' | 'installed' | 'unread'>;

async function outcomeOf(
  pass: ExtensionPass,
  decided: NextRevision,
  plan: ExtensionPlan | undefined,
): Promise<Outcome> {
  const note = decided.note === undefined ? {} : { note: decided.note };
  const why = plan === undefined ? {} : { explanation: plan.explanation };
  if (decided.next === 'wait') throw new Error('a solution exists, but none was found');
  if (decided.next === 'trouble') {
    const { bundle, version, image } = plan ?? {};
    const chosen =
      bundle === undefined || version === undefined || image === undefined ? {} : { bundle, version, image };
    return { next: 'nothing', ...chosen, ...note, ...why, trouble: decided.trouble.message, objects: [] };
  }
  const target = decided.next === 'make' ? plannedRevision(pass, decided.desired) : newestRevision(pass);
  if ('error' in target) return { next: 'nothing', ...note, ...why, trouble: target.error, objects: [] };
  const { bundle, image } = bundleOf(target.revision);
  return {
    next: decided.next === 'make' || hasSucceeded(target.revision) ? decided.next : 'rollout',
    revision: target.revision.metadata.name ?? '',
    bundle: bundle.name,
    version: bundle.version,
    image,
    ...(plan?.image === image ? why : {}),
    ...note,
    ...(await namespaceProblem(pass, target)),
    objects: await plannedObjects(pass, target),
  };
}

type Target = Readonly<{ revision: ClusterObjectSet; wanted: readonly ContentObject[] }> | Readonly<{ error: string }>;
type Desired = Extract<NextRevision, { next: 'make' }>['desired'];

function plannedRevision({ read, deps }: ExtensionPass, desired: Desired): Target {
  const { systemNamespace } = deps;
  const number = read.states.highestNumber + 1;
  const built = buildRevision(read.extension, number, desired, { systemNamespace, compress: gzipSync });
  if ('error' in built) return { error: troubleOf(desired.from, 'Blocked', built.error).message };
  const { metadata } = built.revision;
  const wanted = desired.phases.flatMap(({ objects }) =>
    objects.map((object): ContentObject => ({ object, protection: desired.adoption?.protection ?? 'Prevent' })),
  );
  return { revision: { ...built.revision, metadata: { ...metadata, uid: PLANNED_UID } }, wanted };
}

function newestRevision(pass: ExtensionPass): Target {
  const revision = pass.read.states.active.at(-1);
  if (revision === undefined) return { error: 'there is no revision yet' };
  const content = readContent(pass, revision);
  return 'error' in content ? content : { revision, wanted: content.phases.flatMap(({ objects }) => objects) };
}

/** Returns the problem if the namespace is missing: nothing can be applied in it. */
async function namespaceProblem({ client, read }: ExtensionPass, { wanted }: Exclude<Target, { error: string }>) {
  const { namespace: name } = read.extension.spec;
  if (wanted.some(({ object }) => object.kind === 'Namespace' && object.metadata.name === name)) return {};
  const found = await client.get({ ...KIND.Namespace, name });
  return found === undefined ? { trouble: `namespace ${name} does not exist: create it first` } : {};
}

async function plannedObjects(pass: ExtensionPass, target: Exclude<Target, { error: string }>) {
  const { revision, wanted } = target;
  const siblings = siblingsOf(pass, revision);
  const earlier = pass.read.states.active
    .filter(({ metadata }) => metadata.uid !== revision.metadata.uid)
    .flatMap((one) => {
      const content = readContent(pass, one);
      return 'error' in content ? [] : content.phases.flatMap(({ objects }) => objects.map(({ object }) => object));
    });
  const asked = [...wanted.map(({ object }) => object), ...earlier].map(refOf);
  const found = await inParallel(
    asked,
    OBJECTS_AT_ONCE,
    async (ref) => [keyOf(ref), await liveAt(pass.client, ref)] as const,
  );
  const live = new Map(found);
  return planObjects({ revision, siblings, wanted, earlier, liveOf: (ref) => live.get(keyOf(ref)) });
}

const keyOf = (ref: ObjectRef): string => canonicalJson(ref);

/** Reads an object. A kind that is not served has no objects. */
async function liveAt(client: KubeClient, ref: ObjectRef): Promise<KubernetesObject | undefined> {
  try {
    return await client.get(ref);
  } catch (error) {
    if (KubeApiError.is(error, 'NotFound')) return undefined;
    throw error;
  }
}
