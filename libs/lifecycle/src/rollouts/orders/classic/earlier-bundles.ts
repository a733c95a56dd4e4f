import type { PackageRecord } from '#core/catalog/model/package-record';
import { type BundleReference, sourceOf } from '#core/classic/install-plan/creation/bundle-reference';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Clock } from '#platform/clock/clock.port';
import { SystemClock } from '#platform/clock/system-clock';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { BundleContents } from '../../../classic/bundles/bundle-contents.js';
import { catalogCredentials } from '../../../classic/bundles/fetch-bundles.js';
import { OfferedBundles } from '../../../classic/bundles/offered-bundles.js';
import { PlanMarks } from '../../../classic/install-plans/plan-marks.js';
import { readNamespace } from '../../../classic/namespaces/namespace-read.js';
import { ObservedProblems } from '../../../classic/namespaces/observed-problems.js';
import type { StagesHub } from '../../../classic/stages.js';
import { PassReader } from '../../../engine/passes/pass-reader.js';
import type { NotThere } from '../../previews/classic-preview.js';

type EarlierHub = Pick<StagesHub, 'problems' | 'bundlePulls' | 'content' | 'log' | 'key' | 'queues'> &
  Readonly<{ settings: Pick<StagesHub['settings'], 'bundleUnpackTimeout'>; clock?: Clock }>;

/**
 * Source of the bundle that a cluster had before, for a return: its manifests, to check if they fit, and a
 * catalog to install it from again.
 */
export class EarlierBundles {
  readonly #observed: ObservedProblems;
  readonly #offered: OfferedBundles;
  readonly #contents: BundleContents;
  readonly #marks: PlanMarks | undefined;

  constructor(private readonly hub: EarlierHub) {
    const { problems, bundlePulls, content, queues, log, key } = hub;
    this.#observed = new ObservedProblems(problems);
    this.#offered = new OfferedBundles(this.#observed);
    this.#contents = new BundleContents(bundlePulls, content, queues.apply, log);
    this.#marks = key && new PlanMarks(key);
  }

  /**
   * Returns the manifests that a plan refers to: those that the hub planned itself, or those that the
   * namespace is offered.
   */
  async objectsOf(
    client: KubeClient,
    { reference, plan, globalCatalogNamespace }: Referred,
  ): Promise<Readonly<{ objects: readonly KubernetesObject[] }> | NotThere> {
    const { namespace = '', name = '' } = plan.metadata;
    const { cluster } = client;
    const isOwn = this.#marks?.isOwn(cluster, plan) ?? false;
    if (!isOwn && !(await this.#offered.has(cluster, namespace, reference))) {
      return {
        gone: `${reference.name}, which InstallPlan ${name} refers to, is not offered to namespace ${namespace}`,
      };
    }
    const reader = new PassReader(client);
    const read = await readNamespace(reader, namespace, globalCatalogNamespace);
    const now = this.hub.clock?.now() ?? new SystemClock().now();
    const { signal } = new AbortController();
    const input = { client, reader, read, now, signal, patience: new Patience() };
    const { catalogSourceName, catalogSourceNamespace } = reference;
    const credentials = await catalogCredentials(input, { name: catalogSourceName, namespace: catalogSourceNamespace });
    const timeoutMs = this.hub.settings.bundleUnpackTimeout;
    const wanted = { name: reference.name, source: sourceOf(reference), credentials, timeoutMs };
    try {
      const fetched = await this.#contents.contentsOf([wanted], input);
      if ('stillFetching' in fetched) return { waits: `fetching ${reference.name}` };
      const unusable = fetched.contents.find((content) => 'unusable' in content);
      if (unusable !== undefined) return { gone: `${reference.name} is not available: ${unusable.unusable}` };
      return { objects: fetched.contents.flatMap((content) => ('objects' in content ? content.objects : [])) };
    } catch (error) {
      if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
      return { gone: `${reference.name} is not available: ${error.message}` };
    }
  }

  /**
   * Returns the reason why the Subscription would not find the bundle in its channel, as its catalog was seen
   * last.
   */
  async notOffered(cluster: string, { metadata, spec }: Subscription, bundle: string): Promise<NotThere | undefined> {
    const catalog = `CatalogSource ${spec.sourceNamespace}/${spec.source}`;
    const known = await this.#observed.find(cluster, metadata.namespace ?? '');
    if (known === undefined) return { waits: `${catalog} was not read yet` };
    const slice = known.problem.catalogs.find(
      ({ key }) => key.name === spec.source && key.namespace === spec.sourceNamespace,
    );
    if (slice?.failure !== undefined) return { gone: `${catalog} cannot be read: ${slice.failure}` };
    const hash = slice?.packages.find(({ name }) => name === spec.name)?.record;
    const record = hash === undefined ? undefined : await this.#observed.record(hash);
    if (hash !== undefined && record === undefined) return { waits: `${catalog} is being read again` };
    const { channel = '' } = spec;
    if (record !== undefined && isIn(record, channel, bundle)) return undefined;
    return { gone: `${catalog} no longer offers ${bundle}${channel === '' ? '' : ` in channel ${channel}`}` };
  }
}

type Referred = Readonly<{ reference: BundleReference; plan: InstallPlan; globalCatalogNamespace: string }>;

/** True if the channel has the bundle. Without a channel, every channel of the package is resolved from. */
const isIn = (record: PackageRecord, channel: string, bundle: string): boolean =>
  record.entries.some((entry) => entry.name === bundle && (channel === '' || entry.channel === channel));
