import { subjectName } from '#core/kernel/subject/subject';
import type { Freshness } from '#platform/telemetry/health-check';
import { ServedCatalogs, type ServedCatalogsDeps } from '../../catalogs/cluster-catalogs/served-catalogs.js';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import type { ResyncItem } from '../../engine/membership/resync.js';
import { ObservedExtensions, type ObservedExtensionsDeps } from './observed-extensions.js';

type ObservedV1Deps = Readonly<{
  catalogs: Omit<ServedCatalogsDeps, 'onMoved'>;
  extensions: Omit<ObservedExtensionsDeps, 'catalogs'>;
}>;

/**
 * OLM v1 in one cluster: its ClusterCatalogs are served, its ClusterExtensions observed; a catalog that
 * changed has every extension observed again.
 */
export class ObservedV1 implements ClusterPart {
  readonly catalogs: ServedCatalogs;
  readonly extensions: ObservedExtensions;

  constructor(private readonly deps: ObservedV1Deps) {
    this.catalogs = new ServedCatalogs({ ...deps.catalogs, onMoved: () => this.#catalogsMoved() });
    const catalogs = () => (this.catalogs.synced ? this.catalogs.all() : undefined);
    this.extensions = new ObservedExtensions({ ...deps.extensions, catalogs });
  }

  async start(): Promise<void> {
    this.catalogs.start();
    this.extensions.start();
  }

  #catalogsMoved(): void {
    this.touchAll();
    this.deps.extensions.onRowsMoved?.();
  }

  touchAll(): void {
    this.extensions.touchAll();
  }

  /** The catalogs are polled at times of their own. */
  resyncs(): readonly ResyncItem[] {
    return this.extensions.subjects().map((subject) => ({
      name: `v1/${subjectName(subject)}`,
      run: () => this.extensions.touch(subject),
    }));
  }

  async stop(): Promise<void> {
    await Promise.all([this.extensions.stop(), this.catalogs.stop()]);
  }

  async leave(): Promise<void> {
    await Promise.all([this.extensions.leave(), this.catalogs.stop()]);
  }

  /** Returns if the watches of both kinds are up to date, and the reasons if not. */
  freshness(): Freshness {
    const both = [this.extensions.freshness(), this.catalogs.freshness()];
    return {
      synced: both.every(({ synced }) => synced),
      problems: both.flatMap(({ problems }) => problems),
      lastSeen: new Date(Math.min(...both.map(({ lastSeen }) => lastSeen.getTime()))),
    };
  }
}
