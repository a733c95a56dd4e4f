/**
 * The owner of work: it is charged to a namespace of a cluster. Work for a whole cluster has namespace ``.
 */
export type Owner = Readonly<{ cluster: string; namespace: string }>;

/** Names of clusters and namespaces hold no slash, so equal texts are equal owners. */
export const ownerKey = ({ cluster, namespace }: Owner): string => `${cluster}/${namespace}`;
