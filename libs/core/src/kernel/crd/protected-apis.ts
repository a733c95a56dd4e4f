import type { KubernetesObject } from '../api/kubernetes-object.js';
import { crdGroup } from './crd-versions.js';

/** The APIs by which OLM and Flotilla are controlled. */
const GROUPS = ['operators.coreos.com', 'olm.operatorframework.io', 'flotilla.dev'] as const;

/** Whether the API group, or one that it is part of, is one of OLM's or Flotilla's own. */
export const isProtectedGroup = (group: string): boolean =>
  GROUPS.some((own) => group === own || group.endsWith(`.${own}`));

/**
 * Whether the CustomResourceDefinition defines an API of OLM or of Flotilla. The hub acts on objects of these
 * kinds with its own rights, so no bundle may change their schemas. The CRD's name is `<plural>.<group>`, and
 * names the same group as its spec wherever an API server accepts it.
 */
export const definesProtectedApi = (crd: KubernetesObject): boolean =>
  isProtectedGroup(crdGroup(crd)) || isProtectedGroup(groupOfName(crd.metadata.name ?? ''));

/** The group in the name of a CRD, `<plural>.<group>`. */
export const groupOfName = (name: string): string => name.slice(name.indexOf('.') + 1);

/** Why a bundle or a ClusterObjectSet with such a definition is refused. */
export const protectedApiText = (crd: string): string =>
  `CustomResourceDefinition "${crd}" defines an API of OLM or Flotilla, which no bundle may bring or replace`;
