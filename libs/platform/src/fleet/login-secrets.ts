import { LOGIN_SUFFIX } from '#core/cluster/imports/foreign-cluster';
import type { LoginRef } from '#core/kernel/api/fleet/fleet-cluster';
import type { LoginFormat } from '#core/kernel/api/fleet/fleet-cluster-source';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { Reflector } from '../kube/cache/reflector.js';
import type { KubeClient, ListOptions } from '../kube/client/kube-client.port.js';
import { withoutManagedFields } from '../kube/client/managed-fields.js';
import type { Log } from '../telemetry/log.port.js';
import { KUBECONFIG_SECRET, type SecretAccess, secretAccess } from './secret-access.js';

type LoginSecretsOptions = Readonly<{
  hub: KubeClient;
  /** The namespace of the hub. */
  namespace: string;
  clock: Clock;
  log: Log;
  /** Called if a Secret appears, changes or goes. */
  onChange: () => void;
}>;

/** Secrets of one namespace that one tool wrote. */
type Place = Readonly<{ namespace: string; format: LoginFormat | undefined }>;

/** Namespaces with logins that a process watches. */
const MOST_PLACES = 64;
const MOST_CHARACTERS = 1_024;

/** Selects the Secrets of each tool that hold logins. */
const SELECTED: Readonly<Record<LoginFormat | 'own', Omit<ListOptions, 'namespace'>>> = {
  own: { fieldSelector: `type=${KUBECONFIG_SECRET}` },
  ArgoCD: { labelSelector: 'argocd.argoproj.io/secret-type=cluster' },
  ClusterAPI: { labelSelector: 'cluster.x-k8s.io/cluster-name' },
  Rancher: { labelSelector: 'cluster.x-k8s.io/cluster-name' },
};

/**
 * The Secrets with the logins of FleetClusters, by watches: one for each namespace and tool, while a
 * FleetCluster refers to it. Their content stays in the memory of the process.
 */
export class LoginSecrets {
  readonly #watched = new Map<string, Reflector>();
  readonly #ending = new Set<Promise<void>>();
  readonly #parsed = new WeakMap<KubernetesObject, SecretAccess>();

  constructor(private readonly options: LoginSecretsOptions) {}

  /** Watches the places of these references, and no other ones. */
  follow(refs: readonly LoginRef[]): void {
    const places = new Map(refs.map((ref) => [keyOf(this.#placeOf(ref)), this.#placeOf(ref)]));
    for (const [key, watched] of this.#watched) if (!places.has(key)) this.#end(key, watched);
    for (const [key, place] of places) {
      if (!this.#watched.has(key) && this.#watched.size < MOST_PLACES) this.#watched.set(key, this.#watch(place));
    }
  }

  async stop(): Promise<void> {
    for (const [key, watched] of this.#watched) this.#end(key, watched);
    await Promise.all(this.#ending);
  }

  /** Returns the reasons why Secrets are not known; the same text as long as nothing has changed. */
  get trouble(): string {
    return [...this.#watched].map(([key, watched]) => `${key} ${watched.problem() ?? ''}`).join('\n');
  }

  /** Names the Secret of a reference in messages. */
  fileOf(ref: LoginRef): string {
    return `Secret ${this.#placeOf(ref).namespace}/${ref.name}`;
  }

  /** Returns the login of a Secret. Undefined until the Secrets were listed. */
  accessOf(ref: LoginRef): SecretAccess | undefined {
    const place = this.#placeOf(ref);
    const file = this.fileOf(ref);
    const watched = this.#watched.get(keyOf(place));
    if (watched === undefined) return rejected(`${file} is not read: more than ${MOST_PLACES} namespaces have logins`);
    const problem = watched.problem();
    if (!watched.synced()) return problem === undefined ? undefined : rejected(`${file} cannot be read: ${problem}`);
    const secret = watched.get({ namespace: place.namespace, name: ref.name });
    if (secret === undefined) return rejected(`there is no ${file} ${describedBy(place.format)}`);
    const known = this.#parsed.get(secret) ?? secretAccess(secret, place.format);
    this.#parsed.set(secret, known);
    return known;
  }

  #placeOf({ namespace = this.options.namespace, format }: LoginRef): Place {
    return { namespace, format };
  }

  #watch({ namespace, format }: Place): Reflector {
    const { hub: client, clock, log, onChange } = this.options;
    const watched = new Reflector({
      ...{ client, clock, log, kind: KIND.Secret, keep: keptOf(format) },
      options: { namespace, ...SELECTED[format ?? 'own'] },
      handlers: {
        onReplace: onChange,
        onChange: (secret, before) => {
          if (before?.metadata.resourceVersion !== secret.metadata.resourceVersion) onChange();
        },
        onDelete: onChange,
      },
    });
    watched.start();
    return watched;
  }

  #end(key: string, watched: Reflector): void {
    this.#watched.delete(key);
    const ending = watched.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

const keyOf = ({ namespace, format }: Place): string => `${namespace} ${format ?? ''}`;
const rejected = (message: string): SecretAccess => ({
  fault: { reason: 'Rejected', message: message.slice(0, MOST_CHARACTERS) },
});

const describedBy = (format: LoginFormat | undefined): string => {
  if (format === undefined) return `of type ${KUBECONFIG_SECRET}`;
  return `with label ${SELECTED[format].labelSelector?.replace('=', ': ') ?? ''}`;
};

/** Keys of the Secrets of each tool that a login is read from. */
const KEYS: Readonly<Record<LoginFormat, readonly string[]>> = {
  ArgoCD: ['name', 'server', 'config'],
  ClusterAPI: ['value'],
  Rancher: ['value'],
};

/**
 * Keeps of a Secret of another tool its login alone. Cluster API labels keys of authorities and start scripts
 * of machines, too; annotations of Secrets may repeat their content.
 */
const keptOf =
  (format: LoginFormat | undefined) =>
  (secret: KubernetesObject): KubernetesObject => {
    const { apiVersion, kind, metadata, type } = secret;
    if (format === undefined) return withoutManagedFields(secret);
    const { name, namespace, uid, resourceVersion } = metadata;
    const isLogin = format === 'ArgoCD' || name?.endsWith(LOGIN_SUFFIX) === true;
    const data = Object.entries((secret['data'] ?? {}) as Readonly<Record<string, string>>);
    const own = isLogin ? data.filter(([key]) => KEYS[format].includes(key)) : [];
    const kept = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, type };
    return { ...kept, data: Object.fromEntries(own) };
  };
