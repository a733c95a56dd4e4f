/** Limits of the reads of one process from one cluster. */
export type ReadLimits = Readonly<{
  /** Bytes of one answer, after decompression. */
  answerBytes: number;
  /** Bytes of all pages of one list, and of the events of one watch in a minute. */
  listBytes: number;
  /** Objects of one list and of one cache, and events of one watch in a minute. */
  objects: number;
  /**
   * Estimated bytes of memory for all caches of the cluster; the lists that are being read
   * have the same budget again.
   */
  clusterBytes: number;
  /** The same for all clusters of one process together, lists that are being read included. */
  processBytes: number;
}>;

const MIB = 1024 * 1024;

/**
 * A real large cluster does not reach these: 100,000 copied CSVs (5,000 namespaces, 20 operators), an object
 * of 1.5 MiB (etcd's limit), 2 GiB of objects (etcd's default quota).
 */
export const DEFAULT_READ_LIMITS: ReadLimits = {
  answerBytes: 32 * MIB,
  listBytes: 4_096 * MIB,
  objects: 200_000,
  clusterBytes: 256 * MIB,
  processBytes: 512 * MIB,
};

/**
 * The budget that was exceeded. `endless` is a list that repeats itself or has more pages than its objects
 * need.
 */
export type Excess =
  | 'answer'
  | 'list-bytes'
  | 'objects'
  | 'cluster'
  | 'process'
  | 'endless'
  | 'event'
  | 'events'
  | 'event-bytes'
  | 'discovery';

/** Returns the exceeded limit, and the remedy, for `what`: a kind, or a request such as `get Secret a/b`. */
export function excessText(what: string, excess: Excess, limits: ReadLimits): string {
  const raise = (setting: string) => `raise ${setting} if the cluster is healthy`;
  switch (excess) {
    case 'answer':
      return `${what}: one answer has more than ${size(limits.answerBytes)}; ${raise('FLOTILLA_KUBE_MAX_ANSWER_BYTES')}`;
    case 'list-bytes':
      return `${what}: the list has more than ${size(limits.listBytes)}; ${raise('FLOTILLA_KUBE_MAX_LIST_BYTES')}`;
    case 'objects':
      return `${what}: more than ${limits.objects} objects; delete some, or raise FLOTILLA_KUBE_MAX_OBJECTS`;
    case 'cluster':
      return `${what}: the cached objects of the cluster need more than ${size(limits.clusterBytes)}; ${raise('FLOTILLA_KUBE_MAX_CLUSTER_BYTES')}`;
    case 'process':
      return `${what}: the cached objects of all clusters need more than ${size(limits.processBytes)}, and this cluster has more than its share; ${raise('FLOTILLA_KUBE_MAX_PROCESS_BYTES')}`;
    case 'endless':
      return `${what}: the list does not end, its continue tokens repeat or its pages are almost empty; check the API server`;
    case 'event':
      return `${what}: one watch event is larger than an object can be; check the API server`;
    case 'discovery':
      return `${what}: the API server names more kinds than a cluster can have; check the API server`;
    case 'events':
      return `${what}: more than ${limits.objects} watch events in a minute; find their writer, or raise FLOTILLA_KUBE_MAX_OBJECTS`;
    case 'event-bytes':
      return `${what}: watch events of more than ${size(limits.listBytes)} in a minute; find their writer, or raise FLOTILLA_KUBE_MAX_LIST_BYTES`;
  }
}

function size(bytes: number): string {
  if (bytes % MIB === 0) return `${bytes / MIB}Mi`;
  return bytes % 1024 === 0 ? `${bytes / 1024}Ki` : `${bytes} bytes`;
}
