import { packageRecords } from '#core/catalog/load/package-records';
import type { ConfigMapContent } from '#core/classic/catalog-source/configmap-catalog';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { Clock } from '#platform/clock/clock.port';
import type { OutboundPolicy } from '#platform/outbound/outbound-policy';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { GrpcCatalogClient, type GrpcLimits } from '#platform/registry/grpc/grpc-catalog-client';
import type { CatalogContents, LoadedCatalog } from '../contents/catalog-contents.js';
import { type Asking, type Shared, SharedLoads } from '../shared-loads.js';

type SharedCatalogsOptions = Readonly<{
  contents: CatalogContents;
  clock: Clock;
  random: () => number;
  /** Bounds on the data that a registry server may send. */
  grpcLimits?: GrpcLimits;
  /** Policy for the registry servers that may be reached. All by default. */
  policy?: OutboundPolicy;
}>;

type Connection = Readonly<{ client: GrpcCatalogClient; listeners: Set<() => void> }>;

/** Results that were not requested for this long are forgotten. */
const FORGET_AFTER_MS = 60 * 60_000;

/**
 * Catalogs of all clusters: one poll of a registry, and one connection to a registry server,
 * for all that name the same.
 */
export class SharedCatalogs {
  readonly #loads: SharedLoads<LoadedCatalog>;
  readonly #connections = new Map<string, Connection>();

  constructor(private readonly options: SharedCatalogsOptions) {
    this.#loads = new SharedLoads(options);
  }

  /**
   * A login that may not see an image must not get it because another login may: logins are part of the key.
   */
  ofImage(reference: string, credentials: RegistryCredentials, asking: Asking): Promise<Shared<LoadedCatalog>> {
    const key = `image ${canonicalHash(credentials)} ${reference}`;
    return this.#loads.ask(key, asking, (demand) => this.options.contents.ofImage(reference, { credentials, demand }));
  }

  /** Has an image read once more that ended the thread that read it before that time. */
  tryAgain(reference: string, before: number): void {
    this.options.contents.tryAgain(reference, before);
  }

  /** The listing of the registry server at an address, over the connection of its followers. */
  ofAddress(address: string, asking: Asking): Promise<Shared<LoadedCatalog>> {
    return this.#loads.ask(addressKey(address), asking, async ({ signal }) => {
      const followed = this.#connections.get(address)?.client;
      const client = followed ?? this.#clientOf(address);
      if (followed === undefined) signal.addEventListener('abort', () => client.close(), { once: true });
      try {
        return await this.options.contents.ofListing(await client.snapshot());
      } finally {
        if (followed === undefined) client.close();
      }
    });
  }

  /** Returns a catalog with bundles that all have their manifests inline. */
  ofInline({ catalog, leftOut }: ConfigMapContent): Promise<LoadedCatalog> {
    const inline = new Map<`sha256:${string}`, readonly unknown[]>();
    const records = packageRecords(catalog, ({ objects }) => {
      const digest = `sha256:${canonicalHash(objects)}` as const;
      inline.set(digest, objects);
      return digest;
    });
    return this.options.contents.ofListing({ records, inline, leftOut });
  }

  /**
   * Connects, and calls back when the registry server at an address comes back, or was replaced, after it
   * has answered or failed once. The connection lives until its last follower releases it. Throws
   * RegistryError for an invalid address.
   */
  follow(address: string, onBack: () => void): () => void {
    const { listeners } = this.#connectionTo(address);
    listeners.add(onBack);
    return () => {
      listeners.delete(onBack);
      if (listeners.size > 0 || this.#connections.get(address)?.listeners !== listeners) return;
      this.#connections.get(address)?.client.close();
      this.#connections.delete(address);
      this.#loads.renew(addressKey(address));
    };
  }

  tidy(): void {
    this.#loads.forgetUnasked(FORGET_AFTER_MS);
  }

  #clientOf(address: string): GrpcCatalogClient {
    const { grpcLimits, policy } = this.options;
    return new GrpcCatalogClient(address, grpcLimits, process.env, policy);
  }

  #connectionTo(address: string): Connection {
    const known = this.#connections.get(address);
    if (known !== undefined) return known;
    const client = this.#clientOf(address);
    const listeners = new Set<() => void>();
    let isReady = false;
    let wasLost = false;
    client.watchState((state) => {
      const isLost = isReady && state !== 'READY';
      isReady = state === 'READY';
      wasLost ||= isLost;
      // The list of a server says nothing of the next server at its address, which may be another owner's.
      if (isLost) this.#loads.renew(addressKey(address));
      // The first READY is that of the dial for the first listing, which is under way.
      if (!isReady || !(wasLost || this.#loads.answered(addressKey(address)))) return;
      this.#loads.renew(addressKey(address));
      for (const notify of listeners) notify();
    });
    const connection = { client, listeners };
    this.#connections.set(address, connection);
    return connection;
  }
}

const addressKey = (address: string): string => `grpc ${address}`;
