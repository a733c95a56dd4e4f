import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { originOf } from '#core/classic/catalog-source/catalog-source-spec';
import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { SystemClock } from '#platform/clock/system-clock';
import type { Settings } from '#platform/config/settings';
import type { ContentStore } from '#platform/content/content-store.port';
import { isDigest } from '#platform/content/digest';
import { DiskContentStore } from '#platform/content/disk-content-store';
import { DiskProvenance } from '#platform/content/disk-provenance';
import { HttpContentStore } from '#platform/content/http-content-store';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { configuredRegistryClient } from '#platform/registry/configured-registry-client';
import { pullSecretsOf } from '#platform/registry/logins/pull-secrets';
import { silentLog } from '#platform/telemetry/log.port';
import { CatalogContents } from '../../../../libs/lifecycle/src/catalogs/contents/catalog-contents.js';
import { manifestBytes } from '../../../../libs/lifecycle/src/catalogs/contents/read-catalog.js';
import { clusterAccess, type SourceAccess } from '../../../../libs/lifecycle/src/catalogs/sources/cluster-access.js';
import { loadSource } from '../../../../libs/lifecycle/src/catalogs/sources/load-source.js';
import { SharedCatalogs } from '../../../../libs/lifecycle/src/catalogs/sources/shared-catalogs.js';
import { requireHub } from '../hub/ask-hub.js';
import { chosenHub } from '../hub/hub-address.js';
import { hubToken } from '../hub/hub-token.js';
import { logins } from '../inputs/registry-access.js';
import { indexOf } from '../resolution/resolve-offline.js';

/** The content of catalogs and bundles for verbs that read live namespaces. */
export type LiveContents = Readonly<{
  content: ContentStore;
  bundlePulls: BundlePulls;
  /** Returns the catalog in the form that can be resolved from now, or with the fault that prevents it. */
  catalogOf(client: KubeClient, source: CatalogSource): Promise<IndexedCatalog>;
}>;

/** A user waits: after this time the hub is asked no further, and the registry is asked instead. */
const HUB_ANSWERS_WITHIN_MS = 5_000;

/**
 * Opens this command's own content cache: content that an earlier call read is read from there. The hub of
 * `--hub` (`named`), or of FLOTILLA_CONTENT_URL, replaces the address in the status of a CatalogSource. That
 * address may lead nowhere from this machine.
 * @throws Error if the named hub does not answer
 */
export async function openLiveContents(settings: Settings, named?: string): Promise<LiveContents> {
  if (named !== undefined) await requireHub(named);
  const hub = chosenHub(named, settings);
  const token = hub === undefined ? undefined : await hubToken(settings);
  const folder = join(settings.contentDir, 'command');
  const content = await DiskContentStore.open(folder, { maxBytes: settings.contentMaxBytes, log: silentLog });
  const provenance = new DiskProvenance(join(folder, 'provenance'));
  const registry = await configuredRegistryClient(settings, { store: content, provenance });
  const clock = new SystemClock();
  const contents = new CatalogContents(registry, content, join(tmpdir(), `flotilla-command-${process.pid}`));
  const catalogs = new SharedCatalogs({ contents, clock, random: Math.random });
  const heldOf = once((source: CatalogSource) => heldByHub(source, content, { hub, token }).catch(() => undefined));
  const catalogOf = async (client: KubeClient, source: CatalogSource): Promise<IndexedCatalog> => {
    const { name = '', namespace = '' } = source.metadata;
    const common = { key: { namespace, name }, priority: source.spec.priority ?? 0 };
    const held = await heldOf(source.status?.connectionState?.address ?? '', source);
    if (held !== undefined) return { ...common, index: held };
    const access = personAccess(client);
    const asking = { withinMs: 0, patient: false };
    const polled = await loadSource(source, asking, { catalogs, access, now: () => clock.now() });
    if ('value' in polled) return { ...common, index: polled.value.index };
    return { ...common, failure: polled.error instanceof Error ? polled.error.message : String(polled.error) };
  };
  const read = once(({ client, source }: Asked) => catalogOf(client, source));
  return {
    content,
    bundlePulls: BundlePulls.withoutTurns(registry),
    // Every namespace of a cluster sees the global catalogs: each is read once.
    catalogOf(client, source) {
      const { namespace, name, resourceVersion } = source.metadata;
      return read([client.cluster, namespace, name, resourceVersion].join('/'), { client, source });
    },
  };
}

type Asked = Readonly<{ client: KubeClient; source: CatalogSource }>;

/** Returns a question that keeps each answer by its key: clusters with the same catalog share its index. */
function once<In, Out>(ask: (input: In) => Promise<Out>): (key: string, input: In) => Promise<Out> {
  const known = new Map<string, Promise<Out>>();
  return (key, input) => {
    const asking = known.get(key) ?? ask(input);
    known.set(key, asking);
    return asking;
  };
}

const ADDRESS = /^(https?:\/\/.+)\/content\/(sha256:[0-9a-f]{64})$/;

/**
 * The hub that the user named, with its token. The token is not for the address in a status, which a cluster
 * names.
 */
type ChosenHub = Readonly<{ hub: string | undefined; token: string | undefined }>;

/**
 * Returns the hub's content of an image, by the address in the status of its CatalogSource. The hub resolves
 * from that content itself.
 */
async function heldByHub(source: CatalogSource, cache: ContentStore, { hub, token }: ChosenHub) {
  const [, reported, digest] = ADDRESS.exec(source.status?.connectionState?.address ?? '') ?? [];
  const baseUrl = hub ?? reported;
  if (originOf(source).kind !== 'image' || baseUrl === undefined || digest === undefined || !isDigest(digest)) {
    return undefined;
  }
  const peer = { baseUrl, cache, timeoutMs: HUB_ANSWERS_WITHIN_MS };
  const authorization = token === undefined ? {} : { authorization: () => `Bearer ${token}` };
  const bytes = await new HttpContentStore({ ...peer, ...authorization }).get(digest);
  if (bytes === undefined) return undefined;
  const catalog = loadCatalog([{ path: 'catalog.jsonl', bytes }]);
  for (const { objects } of catalog.bundles) {
    if (objects.length > 0) await cache.put(manifestBytes(objects));
  }
  return indexOf(catalog);
}

/** Returns pull secrets of the cluster, if this person may read them, and the logins of this machine. */
function personAccess(client: KubeClient): SourceAccess {
  const access = clusterAccess({ client, clock: new SystemClock(), log: silentLog });
  return {
    ...access,
    async credentials(source): Promise<RegistryCredentials> {
      const own = await logins(source.spec.image ?? '');
      const named = await pullSecretsOf(client, source).catch(() => ({}));
      return { ...own, ...named };
    },
  };
}
