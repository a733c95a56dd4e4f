/** Where the operator of these tests is installed. */
export const LAMPS = 'lamps';

/** The spec of a FleetOperator for package `lamp`, with strategy `s`. */
export const LAMP_OPERATOR = {
  package: 'lamp',
  namespace: LAMPS,
  catalog: { name: 'samples' },
  strategyRef: { name: 's' },
  classic: { channel: 'stable', operatorGroup: { targetNamespaces: [LAMPS] } },
};
