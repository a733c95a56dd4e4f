import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { readScenario } from './read-scenario.js';

const metadata = { name: 'kafka', namespace: 'platform' };

/** A FleetOperator with strategy `s`. */
export const operator = {
  apiVersion: FLEET_API,
  kind: 'FleetOperator',
  metadata,
  spec: {
    package: 'kafka-operator',
    namespace: 'kafka',
    catalog: { name: 'c', namespace: 'olm' },
    strategyRef: { name: 's' },
  },
};

export type KafkaScenario = Readonly<{
  strategy?: object;
  clusters?: number | readonly object[];
  file?: object;
  others?: readonly object[];
}>;

/** A scenario of that FleetOperator. `file`: the scenario file; `others`: further manifests. */
export function scenarioFrom({ strategy = {}, clusters = 4, file = {}, others = [] }: KafkaScenario) {
  const objects = [
    operator,
    { apiVersion: FLEET_API, kind: 'FleetStrategy', metadata: { ...metadata, name: 's' }, spec: strategy },
    ...others,
  ];
  return readScenario({
    manifests: objects.map((value) => ({ value, where: 'test' })),
    clusters: typeof clusters === 'number' ? clusters : { value: { clusters }, where: (path) => path.join('.') },
    faults: { value: file, where: (path) => path.join('.') },
    seed: '1',
    until: undefined,
  });
}
