import type { KubernetesObject } from '../kubernetes-object.js';
import type { AnyFleetKind } from './fleet-kinds.js';

/** An object that the hub API has stored and that does not follow its schema. `problem`: field and reason. */
export type UnreadableObject = Readonly<{ kind: AnyFleetKind; object: KubernetesObject; problem: string }>;

/** Returns `KIND/NAME`, or `KIND/NAMESPACE/NAME`. */
export const unreadableKey = ({ kind, object: { metadata } }: UnreadableObject): string =>
  [kind, ...(metadata.namespace === undefined ? [] : [metadata.namespace]), metadata.name ?? ''].join('/');

/** The effect of an unreadable object on the rollouts that depend on it. */
export const HOLDS = 'its rollouts wait until it is corrected';

/** Returns the message of the condition of an unreadable FleetOperator, FleetCatalog or FleetStrategy. */
export const unreadableText = ({ problem }: UnreadableObject): string => `${problem}; ${HOLDS}`;

/** Returns the spec of an object that could not be read. */
export const specOf = ({ object }: UnreadableObject): Readonly<Record<string, unknown>> => {
  const { spec } = object as Readonly<{ spec?: unknown }>;
  return typeof spec === 'object' && spec !== null ? (spec as Readonly<Record<string, unknown>>) : {};
};
