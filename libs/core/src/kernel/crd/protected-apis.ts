import type { KubernetesObject } from '../api/kubernetes-object.js';
import { crdGroup } from './crd-versions.js';

/** The API groups that control OLM and Flotilla. */
const GROUPS = ['operators.coreos.com', 'olm.operatorframework.io', 'flotilla.dev'] as const;

/** True if the API group, or a parent of it, is one of OLM's or Flotilla's own. */
export const isProtectedGroup = (group: string): boolean =>
  GROUPS.some((own) => group === own || group.endsWith(`.${own}`));

/**
 * True if the CustomResourceDefinition defines an API of OLM or of Flotilla. The hub acts on objects of these
 * kinds with its own rights, so no bundle may change their schemas. The CRD's name is `<plural>.<group>`; an
 * API server accepts it only if its spec names the same group.
 */
export const definesProtectedApi = (crd: KubernetesObject): boolean =>
  isProtectedGroup(crdGroup(crd)) || isProtectedGroup(groupOfName(crd.metadata.name ?? ''));

/** Returns the group in the name of a CRD, `<plural>.<group>`. */
export const groupOfName = (name: string): string => name.slice(name.indexOf('.') + 1);

/** Returns the reason to refuse a bundle or a ClusterObjectSet with such a definition. */
export const protectedApiText = (crd: string): string =>
  `CustomResourceDefinition "${crd}" defines an API of OLM or Flotilla, and no bundle may install or replace it`;
