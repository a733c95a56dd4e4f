import { z } from 'zod';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KINDS_KEY, OWNER_KIND_LABEL, OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { annotationOf, isArchived } from '#core/v1/revision/revision-states';
import type { Clock } from '#platform/clock/clock.port';
import { Reflector } from '#platform/kube/cache/reflector';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

type WatchManagedOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  /** An object of the extension has changed or gone. */
  onMoved: (extension: string) => void;
}>;

/** The poller may not read Secrets, and should not: the applier checks them from time to time. */
const UNWATCHED = new Set(['v1 Secret']);

const Kinds = z.array(z.string()).max(200);
const OPTIONS = { labelSelector: `${OWNER_KIND_LABEL}=${CLUSTER_EXTENSION_API.kind}` };

/**
 * Watches the objects that extensions have applied in one cluster: one watch per kind, as long as
 * an active revision has it.
 */
export class WatchManaged {
  readonly #reflectors = new Map<string, Reflector>();
  #stopped = false;

  constructor(private readonly options: WatchManagedOptions) {}

  /** Watches exactly the kinds of these revisions from now on. */
  follow(revisions: readonly ClusterObjectSet[]): void {
    if (this.#stopped) return;
    const wanted = new Set(revisions.filter((revision) => !isArchived(revision)).flatMap(kindsOf)).difference(
      UNWATCHED,
    );
    for (const kind of wanted) if (!this.#reflectors.has(kind)) this.#watch(kind);
    for (const [kind, reflector] of this.#reflectors) {
      if (wanted.has(kind)) continue;
      this.#reflectors.delete(kind);
      void reflector.stop();
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.stop()));
  }

  #watch(key: string): void {
    const [apiVersion = '', kind = ''] = key.split(' ');
    const moved = ({ metadata }: KubernetesObject) => {
      const owner = metadata.labels?.[OWNER_NAME_LABEL];
      if (owner !== undefined) this.options.onMoved(owner);
    };
    const { client, clock, log } = this.options;
    const handlers = { onChange: moved, onDelete: moved };
    const reflector = new Reflector({
      client,
      clock,
      log,
      kind: { apiVersion, kind },
      options: OPTIONS,
      handlers,
      keep,
    });
    this.#reflectors.set(key, reflector);
    reflector.start();
  }
}

/** Keeps, for thousands of objects, only the fields that name the extension concerned. */
function keep({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, labels } };
}

function kindsOf(revision: ClusterObjectSet): readonly string[] {
  try {
    return Kinds.parse(JSON.parse(annotationOf(revision, KINDS_KEY) ?? '[]'));
  } catch {
    return []; // made by another writer: checked in each resync all the same
  }
}
