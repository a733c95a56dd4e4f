import type { MadeVersion } from './made-operator.js';

/** The namespace of the operator of these tests. */
export const LAMPS = 'lamps';

/** The spec of a FleetOperator for package `lamp`, with strategy `s`. */
export const LAMP_OPERATOR = {
  package: 'lamp',
  namespace: LAMPS,
  catalog: { name: 'samples' },
  strategyRef: { name: 's' },
  classic: { channel: 'stable', operatorGroup: { targetNamespaces: [LAMPS] } },
};

/** Versions 1.0.0 to `1.<newest>.0`, each replaces the one before. `more`: further fields, by the minor. */
export const lampPath = (newest: number, more: Readonly<Record<number, Partial<MadeVersion>>> = {}): MadeVersion[] =>
  Array.from({ length: newest + 1 }, (_, minor) => ({
    version: `1.${minor}.0`,
    objects: [],
    ...(minor === 0 ? {} : { replaces: `1.${minor - 1}.0` }),
    ...more[minor],
  }));
