import { expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { actingOperators } from './acting-operators.js';

const operator = (name: string, creationTimestamp: string, spec: object = {}) =>
  FleetOperator.parse({
    apiVersion: FLEET_API,
    kind: 'FleetOperator',
    metadata: { name, namespace: 'platform', creationTimestamp },
    spec: { package: 'kafka', namespace: 'apps', catalog: { fleetCatalog: 'curated' }, ...spec },
  });
const [EARLY, LATE] = ['2026-01-05T00:00:00Z', '2026-01-05T00:00:01Z'];

it.each([
  ['the older', [operator('a', LATE), operator('b', EARLY)], ['b']],
  ['the first by name of two of one second', [operator('b', EARLY), operator('a', EARLY)], ['a']],
  ['each in a namespace of its own', [operator('a', LATE), operator('b', EARLY, { namespace: 'shop' })], ['a', 'b']],
  ['each of a package of its own', [operator('a', LATE), operator('b', EARLY, { package: 'nats' })], ['a', 'b']],
  ['the older of two apis', [operator('a', LATE), operator('b', EARLY, { api: 'V1' })], ['b']],
] as const)('%s acts', (_, all, acting) => {
  expect(actingOperators(all).map(({ metadata }) => metadata.name)).toEqual(acting);
});
