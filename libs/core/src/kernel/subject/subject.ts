import { z } from 'zod';

/** Longer than the longest kubeconfig context that cloud providers generate (an ARN). */
const LONGEST_CLUSTER = 1_000;
/** A DNS subdomain, as Kubernetes limits names. */
const LONGEST_NAME = 253;

const Cluster = z.string().min(1).max(LONGEST_CLUSTER);
/** Kubernetes allows neither slash nor colon in a name; {@link subjectKey} relies on it. */
const Name = z
  .string()
  .min(1)
  .max(LONGEST_NAME)
  .regex(/^[^/:]+$/);

export const NamespaceSubject = z.strictObject({ cluster: Cluster, namespace: Name });
export const ExtensionSubject = z.strictObject({ cluster: Cluster, extension: Name });
export const ObjectSetSubject = z.strictObject({ cluster: Cluster, objectSet: Name });

/** The subject of one pass of the applier: a namespace (OLM Classic). */
export type NamespaceSubject = z.infer<typeof NamespaceSubject>;
/** A ClusterExtension (OLM v1). */
export type ExtensionSubject = z.infer<typeof ExtensionSubject>;
/** A ClusterObjectSet without a ClusterExtension of the name that it carries (OLM v1). */
export type ObjectSetSubject = z.infer<typeof ObjectSetSubject>;

/** The subject of one pass of the applier, and of one observation of the poller. */
export const Subject = z.union([NamespaceSubject, ExtensionSubject, ObjectSetSubject]);
export type Subject = NamespaceSubject | ExtensionSubject | ObjectSetSubject;

type SubjectKind = 'namespace' | 'extension' | 'objectSet';

export function subjectKind(subject: Subject): SubjectKind {
  if ('namespace' in subject) return 'namespace';
  return 'extension' in subject ? 'extension' : 'objectSet';
}

/** Returns the name of a subject within its cluster: no two subjects of one cluster have the same name. */
export function subjectName(subject: Subject): string {
  if ('namespace' in subject) return subject.namespace;
  if ('extension' in subject) return `extension:${subject.extension}`;
  return `objectSet:${subject.objectSet}`;
}

/**
 * Returns the identity of a subject: no two subjects have the same. The last slash ends the cluster, since
 * its name may contain slashes. A colon after it ends the kind; a namespace has no kind.
 */
export const subjectKey = (subject: Subject): string => `${subject.cluster}/${subjectName(subject)}`;
