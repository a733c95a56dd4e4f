import type { ActionTarget } from '../../../src/api/actions.schema.js';

/** Names one plan of a review: its cluster, namespace and InstallPlan. */
export const addressOf = ({ cluster, namespace, name }: ActionTarget): string => `${cluster}\0${namespace}\0${name}`;
