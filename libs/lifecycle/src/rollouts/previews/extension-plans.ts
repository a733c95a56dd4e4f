import { CLUSTER_EXTENSION_API, type ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { v1VersionRefusal } from '#core/rollout/desired/allowed-versions-v1';
import { type DesiredV1, extensionOver, previewOfExtension, versionAsked } from '#core/rollout/desired/desired-v1';
import { v1Deprecations } from '#core/rollout/review/deprecations';
import type { Phase } from '#core/v1/bundle-render/phases';
import { desiredExtension, type ExtensionSolution, isProblemOf } from '#core/v1/extension/extension-problem';
import type { InstalledBundle } from '#core/v1/revision/installed-revision';
import { reviewedPhases } from '#core/v1/revision/reviewed-content';
import { REVISION_NAME_LABEL, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { bundleOf, revisionStates } from '#core/v1/revision/revision-states';
import type { Clock } from '#platform/clock/clock.port';
import { SystemClock } from '#platform/clock/system-clock';
import { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PassReader } from '../../engine/passes/pass-reader.js';
import { followBundle } from '../../v1/desired/follow-bundle.js';
import { nextRevision } from '../../v1/desired/next-revision.js';
import { accountProblem } from '../../v1/desired/preflight.js';
import type { ExtensionDeps } from '../../v1/extensions/extension-deps.js';
import type { ExtensionPass } from '../../v1/extensions/extension-pass.js';
import { readContent } from '../../v1/extensions/read-content.js';
import { type ExtensionRead, readExtension } from '../../v1/extensions/read-extension.js';

/** The poller mostly notices by itself the changes that make a preview stale. */
const OBSERVE_AFTER_MS = 1_000;

/** A bundle of OLM v1 with the objects that it brings, as far as clusters that run it have them alike. */
export type RenderedBundle = Readonly<{ bundle: InstalledBundle; content: string; phases: readonly Phase[] }>;

/**
 * The content that a cluster would run. Otherwise the input that it waits for, the reason why it is
 * impossible, or that `versions` excludes it.
 */
export type V1Preview =
  | (RenderedBundle & Readonly<{ deprecations: readonly string[] }>)
  | Readonly<{ waits: string }>
  | Readonly<{ fails: string }>
  | Readonly<{ refused: string; bundle: string }>;

/** An earlier revision, or the reason why it cannot come again. `problem`: the objection of OLM v1 to it. */
type KeptContent =
  | Readonly<{ objects: readonly KubernetesObject[]; problem: string | undefined }>
  | Readonly<{ gone: string }>;

/**
 * The next revisions of ClusterExtensions with the objects that a fleet wants: chosen from the poller's
 * observation, and rendered from the bundle. Nothing is written to the cluster.
 */
export class ExtensionPlans {
  constructor(
    private readonly deps: ExtensionDeps,
    private readonly clock: Clock = new SystemClock(),
  ) {}

  /** Returns a ClusterExtension with its revisions. Undefined if there is none of that name. */
  read(client: KubeClient, name: string): Promise<ExtensionRead | undefined> {
    return readExtension(new PassReader(client), name, this.deps.systemNamespace);
  }

  /** Returns the content of one of its revisions. Undefined if that cannot be read. */
  contentOf(client: KubeClient, read: ExtensionRead, revision: ClusterObjectSet): RenderedBundle | undefined {
    const found = readContent(this.#passOf(client, read), revision);
    if ('error' in found) return undefined;
    const phases = found.phases.map(({ name, objects }) => ({ name, objects: objects.map(({ object }) => object) }));
    return rendered(bundleOf(revision).bundle, phases);
  }

  /** Returns the content that would run, once its turn has come. */
  async preview(
    client: KubeClient,
    name: string,
    desired: DesiredV1,
    live: ExtensionRead | undefined,
  ): Promise<V1Preview> {
    const asked = extensionOver(live?.extension, desired, versionAsked(desired));
    const solution = await this.#takeSolution(client, name, asked, live);
    if ('waits' in solution) return solution;
    if (solution.class === 'CatalogNotServed') return { waits: solution.error };
    if (solution.class !== 'Resolved') return { fails: solution.error };
    const { bundle, image, deprecation } = solution;
    const refused = v1VersionRefusal(desired.operator.spec.versions, bundle.version);
    if (refused !== undefined) return { refused, bundle: bundle.name };
    const extension = extensionOver(live?.extension, desired, bundle.version);
    const none = { revisions: [], states: revisionStates([]), secrets: new Map() };
    const pass = this.#passOf(client, { ...(live ?? none), name, extension });
    const problem = await accountProblem(pass);
    if (problem !== undefined) return { fails: problem };
    const query = canonicalHash(desiredExtension(extension, undefined)?.query);
    const next = await followBundle(pass, { kind: 'bundle', bundle: { bundle, image }, query });
    const channels = extension.spec.source.catalog?.channels ?? [];
    const deprecations = v1Deprecations(deprecation ?? [], channels, bundle.name);
    switch (next.next) {
      case 'wait':
        return { waits: `fetching ${image}` };
      case 'trouble':
        return next.cause === 'Registry' ? { waits: next.trouble.message } : { fails: next.trouble.message };
      case 'make':
        return { ...rendered(bundle, next.desired.phases), deprecations };
      case 'keep': {
        const newest = pass.read.states.active.at(-1);
        const kept = newest && this.contentOf(client, pass.read, newest);
        return kept === undefined ? { waits: 'its newest revision cannot be read' } : { ...kept, bundle, deprecations };
      }
    }
  }

  /** The next revision would have other content than its annotation says: none is made. */
  async isOtherContent(client: KubeClient, read: ExtensionRead): Promise<boolean> {
    const next = await nextRevision(this.#passOf(client, read));
    return next.next === 'trouble' && next.cause === 'OtherContent';
  }

  /** Checks if the content of an earlier revision could come again. */
  async keptContent(client: KubeClient, read: ExtensionRead, kept: ClusterObjectSet): Promise<KeptContent> {
    const { name = '' } = kept.metadata;
    const where = { namespace: this.deps.systemNamespace, labelSelector: `${REVISION_NAME_LABEL} in (${name})` };
    const found = (await client.list(KIND.Secret, where))?.items ?? [];
    const secrets = new Map(found.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one] as const));
    const { metadata } = read.extension;
    const annotations = { ...metadata.annotations, [ROLLBACK_KEY]: String(kept.spec.revision) };
    const extension = { ...read.extension, metadata: { ...metadata, annotations } };
    const pass = this.#passOf(client, { ...read, extension, secrets: new Map([...read.secrets, ...secrets]) });
    const content = readContent(pass, kept);
    if ('error' in content) return { gone: `the manifests of revision ${name} cannot be read: ${content.error}` };
    const next = await nextRevision(pass);
    const problem = next.next === 'trouble' ? next.trouble.message : undefined;
    return { objects: content.phases.flatMap(({ objects }) => objects.map(({ object }) => object)), problem };
  }

  async #takeSolution(
    client: KubeClient,
    name: string,
    asked: ClusterExtension,
    live: ExtensionRead | undefined,
  ): Promise<ExtensionSolution | Readonly<{ waits: string }>> {
    const { cluster } = client;
    const { store, check, observe } = this.deps;
    const installed = live?.states.installed;
    const desired = desiredExtension(asked, installed && bundleOf(installed).bundle);
    const observation = await store.getObservation(cluster, previewOfExtension(name));
    const problem = observation && (await store.getProblem(observation.problem));
    if (!observation || !problem || !desired || !isProblemOf(problem, desired)) {
      await observe.add({ v: 1, cluster, extension: name }, { delayMs: OBSERVE_AFTER_MS });
      return { waits: 'its catalogs were not read yet' };
    }
    const { problem: hash } = observation;
    const solution = await store.getSolution(hash);
    if (solution === undefined) return { waits: 'it is being resolved' };
    const isChecked = await check.admit({ cluster, extension: name }, { hash, problem, solution });
    return isChecked ? solution : { waits: 'it is resolved anew' };
  }

  #passOf(client: KubeClient, read: ExtensionRead): ExtensionPass {
    const { signal } = new AbortController();
    const reader = new PassReader(client);
    const now = this.clock.now();
    return { client, reader, read, now, signal, patience: new Patience(), deps: this.deps, writer: client };
  }
}

function rendered(bundle: InstalledBundle, phases: readonly Phase[]): RenderedBundle {
  const reviewed = reviewedPhases(phases);
  return { bundle, content: canonicalHash(reviewed), phases: reviewed };
}

/** Returns every ClusterExtension of a cluster. None if OLM v1's kinds are not served. */
export async function extensionsIn(client: KubeClient): Promise<ClusterExtension[]> {
  const list = await client.list(CLUSTER_EXTENSION_API);
  return (list?.items ?? []).map((item) => ({ ...item, ...CLUSTER_EXTENSION_API }) as ClusterExtension);
}
