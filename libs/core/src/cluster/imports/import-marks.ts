import type { ObjectMeta } from '../../kernel/api/kubernetes-object.js';

/** On a FleetCluster: the object of another tool that it was made from. */
export const IMPORTED_FROM_ANNOTATION = 'fleet.flotilla.dev/imported-from';
/** On a FleetCluster: the FleetClusterSource that keeps it in step. */
export const SOURCE_LABEL = 'fleet.flotilla.dev/source';

type Marked = Readonly<{ metadata: Pick<ObjectMeta, 'labels' | 'annotations'> }>;

export const originMark = ({ metadata }: Marked): string | undefined =>
  metadata.annotations?.[IMPORTED_FROM_ANNOTATION];
export const sourceMark = ({ metadata }: Marked): string | undefined => metadata.labels?.[SOURCE_LABEL];
