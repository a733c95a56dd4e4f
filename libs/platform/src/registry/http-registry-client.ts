import { createHash } from 'node:crypto';
import type { ContentStore, Digest } from '../content/content-store.port.js';
import { isDigest } from '../content/digest.js';
import { MemoryProvenance } from '../content/memory-provenance.js';
import type { Provenance } from '../content/provenance.port.js';
import { hostRefusal, isHostListed } from '../outbound/outbound-policy.js';
import { atDigest, manifestName, parseImageReference } from './client/image-reference.js';
import { acceptedManifests } from './client/media-types.js';
import type { ReadImage } from './client/recent-images.js';
import {
  type FolderOf,
  type FoldersOf,
  type PulledImage,
  type PullOptions,
  RegistryClient,
  RegistryError,
  type RegistryFailure,
  type UnpackedImage,
} from './client/registry-client.port.js';
import { defaultRegistryLimits, type RegistryLimits } from './client/registry-limits.js';
import { type ConnectionOptions, Connections } from './http/connections.js';
import { RegistryTransport } from './http/registry-transport.js';
import type { LoginsOf, Session } from './http/session.js';
import { BlobSource } from './image/blob-source.js';
import { lastingImage } from './image/ended-images.js';
import type { FailedPulls } from './image/failed-pulls.js';
import { type FoundManifest, hostArchitecture, ImagePuller, type ImageSource } from './image/image-puller.js';
import { defaultLayers } from './image/layers/default-layers.js';
import type { LayersReader } from './image/layers/layers-reader.port.js';
import { accessKey } from './logins/access-key.js';
import type { MirrorRule } from './mirrors/mirror-sets.js';
import { pullPlaces } from './mirrors/pull-places.js';
import type { ContentJudge } from './signatures/content-judge.port.js';

export type RegistryClientOptions = Readonly<{
  limits?: Partial<RegistryLimits>;
  /** Hosts (with port) spoken to in plain HTTP, besides loopback. */
  plainHttpHosts?: readonly string[];
  /** Store of blobs by digest, so that none is pulled twice from one repository. */
  store?: ContentStore;
  /** Remembers the repositories that gave the blobs of `store`; of this process alone by default. */
  provenance?: Provenance;
  /** Remembers unusable images; default: none. */
  failedPulls?: FailedPulls;
  /** Unpacks layers; in threads by default, if the process is built. */
  layers?: LayersReader;
  /** Mirrors that are searched for images before their own registry. */
  mirrors?: readonly MirrorRule[];
  /** Certificates and proxies. */
  connections?: ConnectionOptions;
  /** Go's name of the architecture to prefer in an image index; this machine's by default. */
  architecture?: string;
  /**
   * Makes the judge of an image's signers, given the transport to registries; every image is admitted by
   * default.
   */
  judge?: (transport: RegistryTransport) => ContentJudge;
  /** Source of the logins, for the advice in errors; pull secrets of a cluster by default. */
  loginsOf?: LoginsOf;
}>;

/**
 * The OCI distribution protocol over HTTP(S): pulls images into memory or a directory, checked and bounded.
 */
export class HttpRegistryClient extends RegistryClient {
  readonly limits: RegistryLimits;
  readonly transport: RegistryTransport;
  readonly #blobs: BlobSource;
  readonly #architecture: string;
  readonly #mirrors: readonly MirrorRule[];
  readonly #hosts: readonly string[];
  readonly #failed: FailedPulls | undefined;
  readonly #layers: LayersReader;
  readonly #judge: ContentJudge | undefined;

  constructor(options: RegistryClientOptions = {}) {
    super();
    this.limits = { ...defaultRegistryLimits, ...options.limits };
    this.transport = new RegistryTransport({
      limits: this.limits,
      plainHttpHosts: new Set(options.plainHttpHosts),
      connections: new Connections(options.connections),
      ...(options.loginsOf && { loginsOf: options.loginsOf }),
    });
    const { store, provenance = new MemoryProvenance() } = options;
    this.#blobs = new BlobSource(this.transport, store && { store, provenance });
    this.#mirrors = options.mirrors ?? [];
    this.#failed = options.failedPulls;
    this.#layers = options.layers ?? defaultLayers;
    this.#hosts = options.connections?.policy?.registryHosts ?? [];
    this.#architecture = options.architecture ?? hostArchitecture();
    this.#judge = options.judge?.(this.transport);
  }

  override async resolve(reference: string, options: PullOptions = {}): Promise<Digest> {
    return this.#somewhere(reference, options, async (session) => {
      const digest = await this.#head(session);
      await this.#judge?.check(session, digest, () => this.#platformOf(session, digest, options));
      return digest;
    });
  }

  override asksForSignature(reference: string): boolean {
    return this.#judge?.asksForSignature(parseImageReference(reference)) ?? false;
  }

  async #platformOf(session: Session, digest: Digest, options: PullOptions): Promise<Digest> {
    const named = { ...session, reference: atDigest(session.reference, digest) };
    const noBlob: ImageSource['blob'] = (blob, consume) => this.#blobs.stream(named, blob, consume);
    return (await this.#puller(named, noBlob, options).find()).digest;
  }

  override async pull(reference: string, foldersOf: FoldersOf, options: PullOptions = {}): Promise<PulledImage> {
    return this.#somewhere(reference, options, (session) =>
      this.#puller(session, (blob, consume) => this.#blobs.read(session, blob, consume), options).pull(foldersOf),
    );
  }

  override async pullTo(
    reference: string,
    directory: string,
    folderOf: FolderOf,
    options: PullOptions = {},
  ): Promise<UnpackedImage> {
    // Bypasses the store: the caller keeps the unpacked files, so the layers are not kept a second time.
    return this.#somewhere(reference, options, (session) =>
      this.#puller(session, (blob, consume) => this.#blobs.stream(session, blob, consume), options).pullTo(
        directory,
        folderOf,
      ),
    );
  }

  override access(reference: string, { credentials }: PullOptions = {}): string {
    const source = parseImageReference(reference);
    const { host, repository } = source;
    const tagged = parseImageReference(`${host}/${repository}:latest`);
    const places = [tagged, atDigest(source, NO_DIGEST)].flatMap((form) => pullPlaces(form, this.#mirrors));
    return accessKey(source, places, credentials);
  }

  /**
   * Does `work` at the first place that can: mirrors in their order, then the registry
   * that the reference names.
   */
  async #somewhere<T>(text: string, options: PullOptions, work: (session: Session) => Promise<T>): Promise<T> {
    const source = parseImageReference(text);
    if (!isHostListed(source.host, this.#hosts)) {
      const why = hostRefusal(source.host, 'FLOTILLA_REGISTRY_HOSTS');
      throw new RegistryError('NotAllowed', text, `image ${text}: ${why}`);
    }
    const places = pullPlaces(source, this.#mirrors);
    const failures: RegistryError[] = [];
    for (const place of places) {
      try {
        return await this.transport.session(place, options, 'pull', work, source);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof RegistryError) || SAME_EVERYWHERE.has(error.failure)) throw error;
        failures.push(error);
      }
    }
    throw nowhere(text, failures);
  }

  #puller(session: Session, blob: ImageSource['blob'], options: PullOptions): ImagePuller {
    const { onDisk, maxWantedBytes, readFiles, recent: images } = options;
    const named = () => this.#manifest(session, manifestName(session.reference));
    const manifest = (digest: Digest) => this.#manifest({ ...session, part: `manifest ${digest}` }, digest);
    const { reference, credentials, signal } = session;
    const access = accessKey(reference, [reference], credentials);
    const failed = this.#failed;
    const layers = <T>(digest: Digest, read: () => Promise<T>) =>
      failed?.guard(`${access} ${digest}`, read, lastingImage(reference.text, digest)) ?? read();
    const recent =
      images && ((digest: Digest, read: () => Promise<ReadImage>) => images.of(`${access} ${digest}`, read));
    const judge = this.#judge;
    const admit = judge && ((digest: Digest, platform: Digest) => judge.check(session, digest, async () => platform));
    const guard = {
      signal,
      layers,
      recent,
      admit,
      reader: this.#layers,
      ...(onDisk && { onDisk }),
      ...(readFiles && { readFiles }),
    };
    const limits = { ...this.limits, wantedBytes: Math.min(this.limits.wantedBytes, maxWantedBytes ?? Infinity) };
    return new ImagePuller({ named, manifest, blob }, limits, this.#architecture, session.refuse, guard);
  }

  async #head(session: Session): Promise<Digest> {
    const url = this.transport.url(session.reference, `manifests/${manifestName(session.reference)}`);
    const request = { method: 'HEAD', headers: { accept: acceptedManifests } } as const;
    const headers = await this.transport.send(session, url, request);
    const digest = headers.get('docker-content-digest') ?? '';
    if (isDigest(digest)) return digest;
    return (await this.#manifest(session, manifestName(session.reference))).digest;
  }

  /**
   * Returns a manifest's bytes, checked against the requested digest, or the one that the registry claims.
   */
  async #manifest(session: Session, name: string): Promise<FoundManifest> {
    const url = this.transport.url(session.reference, `manifests/${name}`);
    const request = { headers: { accept: acceptedManifests } };
    const { headers, bytes } = await this.transport.document(session, url, request, this.limits.documentBytes);
    const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const expected = isDigest(name) ? name : headers.get('docker-content-digest');
    if (expected !== null && expected !== digest) {
      throw session.refuse(
        'DigestMismatch',
        `the registry sent a manifest with digest ${digest} where ${expected} was named: push the image again`,
      );
    }
    const contentType = headers.get('content-type')?.split(';')[0]?.trim() ?? 'an unnamed media type';
    return { digest, document: { bytes, contentType } };
  }
}

/** Stands for any digest when mirrors are chosen. The choice depends on the form of a reference alone. */
const NO_DIGEST: Digest = `sha256:${'0'.repeat(64)}`;

/** Faults of the content itself are the same everywhere: no further place is tried. */
const SAME_EVERYWHERE: ReadonlySet<RegistryFailure> = new Set([
  ...(['TooLarge', 'UnsafePath', 'Unsupported', 'NotAdmitted'] as const),
]);

/**
 * Makes the error of a pull without success: the text of the last place, with the failures of all others
 * before it.
 */
function nowhere(text: string, failures: readonly RegistryError[]): RegistryError {
  const last = failures.at(-1);
  if (last !== undefined && failures.length === 1) return last;
  if (last !== undefined)
    return new RegistryError(last.failure, text, failures.map(({ message }) => message).join('; '));
  return new RegistryError(
    'NotFound',
    text,
    `image ${text}: its mirror set says NeverContactSource and names no mirror for such a reference: add one (ImageTagMirrorSet for tags, ImageDigestMirrorSet for digests)`,
  );
}
