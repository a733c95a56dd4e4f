import { type FileReading, type HeldReading, heldReading } from '#core/cluster/membership/kubeconfig-readings';
import { ClusterConfigError } from '../kube/access/cluster-config.error.js';
import type { ClusterAccess, ParsedKubeconfig } from '../kube/access/kubeconfig.js';
import { kubectlFiles, readAccess, withOthers } from '../kube/access/load-clusters.js';
import type { ClusterLabels } from './service-clusters.port.js';
import { WatchedKubeconfig } from './watched-kubeconfig.js';

/** A source of the clusters of a process. */
export interface ClusterSource {
  /** Returns the current clusters; the same object as long as nothing has changed. */
  read(): Promise<HeldReading<ClusterAccess>>;
  /** Returns the labels of a cluster, if the source knows any. */
  labelsOf?(cluster: string): ClusterLabels;
  /** Starts watches over the network, if the source has any. */
  start?(): void;
  stop?(): Promise<void>;
}

export type KubeconfigSourceOptions = Readonly<{
  /**
   * Files that were named. Without any: the file of `clusters add`, or kubectl's own files as long as that is
   * empty.
   */
  kubeconfigs: readonly string[];
  /** The setting that names those files, for messages. */
  namedBy: string;
  /** The file in which `clusters add` keeps the clusters. */
  clustersFile: string;
  /** Contexts by name; without any all of a file's, and of kubectl's own files the current one. */
  contexts: readonly string[];
  /**
   * Contexts that are wanted in addition to those, asked for at each reading. They count if not all contexts
   * of the files are wanted anyway.
   */
  more?: () => readonly string[];
  environment?: Readonly<Record<string, string | undefined>>;
  serviceAccountFolder?: string;
}>;

const NOTHING: HeldReading<ClusterAccess> = { members: [], problems: [] };

/** The clusters of the kubeconfigs of a process, read again when a file changes. */
export class KubeconfigSource implements ClusterSource {
  readonly #joined: WatchedKubeconfig;
  #files: readonly WatchedKubeconfig[];
  /** Contexts of the options, or kubectl's current one. */
  #named: readonly string[];
  #wanted: readonly string[] = [];
  #held = NOTHING;
  /** The cluster that the process runs in, if kubectl has no file. */
  #inCluster: readonly ClusterAccess[] = [];
  #begun = false;
  /** The files are those of KUBECONFIG. kubectl reads them as one. */
  #isMerged = false;

  constructor(private readonly options: KubeconfigSourceOptions) {
    const { clustersFile, kubeconfigs, namedBy, contexts } = options;
    this.#joined = new WatchedKubeconfig({ file: clustersFile, namedBy: 'FLOTILLA_CLUSTERS_FILE', mayBeMissing: true });
    this.#files = kubeconfigs.map((file) => new WatchedKubeconfig({ file, namedBy }));
    this.#named = contexts;
  }

  /**
   * Reads the clusters.
   *
   * @throws ClusterConfigError the first time, if no cluster can be found, or a named one is missing
   */
  async read(): Promise<HeldReading<ClusterAccess>> {
    const choseFiles = await this.#choose();
    const chose = this.#wantsOthers() || choseFiles;
    const changed = await Promise.all(this.#files.map((file) => file.poll()));
    if (this.#begun && !chose && !changed.includes(true)) return this.#held;
    const readings = this.#files.map((file) => this.#wantedOf(file.reading(this.#partsFor(file))));
    this.#held = heldReading(this.#held, [...readings, ...this.#ownCluster()]);
    if (!this.#begun) this.#refuseNothing();
    this.#begun = true;
    return this.#held;
  }

  /**
   * Chooses the files that count: without named ones those of `clusters add`, from the first cluster there
   * on.
   */
  async #choose(): Promise<boolean> {
    if (this.options.kubeconfigs.length > 0 || this.#files[0] === this.#joined) return false;
    await this.#joined.poll();
    const { problem, config } = this.#joined;
    if (problem !== undefined && !this.#begun) throw new ClusterConfigError(undefined, `clusters file: ${problem}`);
    const names = problem === undefined ? (config?.contexts ?? []) : [];
    if (names.length > 0 && this.#asked().every((name) => names.includes(name))) {
      this.#files = [this.#joined];
      this.#named = this.options.contexts;
      this.#inCluster = [];
      this.#isMerged = false;
      return true;
    }
    if (!this.#begun) await this.#takeKubectls();
    return false;
  }

  /** The context is kept by its name: `kubectl config use-context` must not hand the hub another cluster. */
  async #takeKubectls(): Promise<void> {
    const { environment = process.env, more, contexts } = this.options;
    const asked = this.#asked();
    const found = await readAccess({ ...this.options, kubeconfigs: [], contexts: asked });
    // Contexts that are wanted later may be in any of them.
    const mayBeMissing = more !== undefined;
    const all = kubectlFiles(environment);
    const files = found.some(({ file }) => all.includes(file)) || mayBeMissing ? all : [];
    this.#isMerged = true;
    this.#files = files.map(
      (file) =>
        new WatchedKubeconfig({
          file,
          namedBy: 'KUBECONFIG',
          mayBeMissing: mayBeMissing || (all.length > 1 && 'at first'),
        }),
    );
    this.#named = asked.length > 0 ? contexts : found.map(({ context }) => context);
    if (!found.some(({ file }) => all.includes(file))) this.#inCluster = found;
  }

  /** The contexts that are wanted by name; none: all of a file's, of kubectl's own files the current one. */
  #asked(): readonly string[] {
    const { contexts, kubeconfigs, more } = this.options;
    return contexts.length === 0 && kubeconfigs.length > 0 ? [] : [...new Set([...contexts, ...(more?.() ?? [])])];
  }

  /** True if other contexts are wanted than at the reading before. */
  #wantsOthers(): boolean {
    const isAll = this.options.contexts.length === 0 && this.options.kubeconfigs.length > 0;
    const wanted = isAll ? [] : [...new Set([...this.#named, ...(this.options.more?.() ?? [])])];
    const before = this.#wanted;
    this.#wanted = wanted;
    return before.join('\n') !== wanted.join('\n');
  }

  /** Returns the files to search for the parts of a file's contexts. */
  #partsFor(file: WatchedKubeconfig): readonly ParsedKubeconfig[] {
    const configs = this.#files.flatMap(({ config }) => config ?? []);
    return this.#isMerged || file.config === undefined ? configs : withOthers(file.config, configs);
  }

  #ownCluster(): readonly FileReading<ClusterAccess>[] {
    return this.#inCluster.map((access) => ({ file: access.file, contexts: [{ context: access.context, access }] }));
  }

  /** Removes contexts that were not requested, or that the hub is leaving. */
  #wantedOf(reading: FileReading<ClusterAccess>): FileReading<ClusterAccess> {
    if ('problem' in reading) return reading;
    const contexts = reading.contexts.filter(
      (one) =>
        (this.#wanted.length === 0 || this.#isFirst(reading.file, one.context)) &&
        !('access' in one && one.access.leaving === true),
    );
    return { ...reading, contexts };
  }

  /** A context that was named is taken from the first file that has it. */
  #isFirst(file: string, context: string): boolean {
    if (!this.#wanted.includes(context)) return false;
    return this.#files.find(({ config }) => config?.contexts.includes(context))?.config?.file === file;
  }

  #refuseNothing(): void {
    const { members, problems } = this.#held;
    const missing = this.#wanted.find((name) => !members.some(({ context }) => context === name));
    if (missing === undefined && (members.length > 0 || problems.length === 0)) return;
    const texts = problems.map(({ text }) => text);
    throw new ClusterConfigError(missing, texts.length > 0 ? texts.join('\n') : this.#unknown(missing ?? ''));
  }

  #unknown(context: string): string {
    const files = this.#files.map(({ file, config }) => `${file} has ${config?.contexts.join(', ') || 'none'}`);
    return `there is no context "${context}": ${files.join('; ')}`;
  }
}
