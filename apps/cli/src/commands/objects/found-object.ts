import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { LiveKind } from './live-kinds.js';

/** An object and the cluster it was read in. */
export type Found = Readonly<{ cluster: string; kind: LiveKind; object: KubernetesObject }>;
