import type { DesiredSubscription } from '#core/classic/resolution/problem/resolution-problem';
import {
  chain,
  ladder,
  ordinaryCatalog,
  pigeons,
  providers,
  type ResolutionInput,
  subscribe,
} from './resolution-inputs.js';

/** A case of the table. */
export type ResolutionCase = Readonly<{ name: string; make: () => ResolutionInput }>;

/** Packages of the real catalog that cannot be installed together. */
const CROWD = [
  'alloydb-omni-operator',
  'apicurio-registry-3',
  'aws-neuron-operator',
  'cat-facts-operator',
  'clusterpulse',
  'coherence-operator',
  'dell-csm-operator',
  'dotvirt-operator',
  'ecr-secret-operator',
  'hive-operator',
  'infinispan',
  'jumpstarter-operator',
];

/** A package that does not exist. */
export const ABSENT_PACKAGE = 'community catalog v4.20, a package that does not exist';

/** Cases on the real catalog v4.20. */
export const REAL_CASES: readonly Readonly<{ name: string; subscriptions: readonly DesiredSubscription[] }>[] = [
  {
    name: 'community catalog v4.20, 1 Subscription',
    subscriptions: [subscribe('rabbitmq-messaging-topology-operator', '')],
  },
  { name: ABSENT_PACKAGE, subscriptions: [subscribe('no-such-operator', '')] },
  {
    name: 'community catalog v4.20, 12 Subscriptions, unsatisfiable',
    subscriptions: CROWD.map((name) => subscribe(name, '')),
  },
];

export const CASES: readonly ResolutionCase[] = [
  { name: 'catalog 400×25, 1 Subscription', make: () => ordinaryCatalog(400, 25, 1) },
  { name: 'catalog 400×25, 20 Subscriptions', make: () => ordinaryCatalog(400, 25, 20) },
  { name: 'chain 60×10', make: () => chain(60, 10) },
  { name: 'ladder 40×10', make: () => ladder(40, 10) },
  { name: 'providers 10×10×3, 3 Subscriptions', make: () => providers(10, 10, 3, 3) },
  { name: 'providers 20×30×5, 3 Subscriptions', make: () => providers(20, 30, 5, 3) },
  { name: 'pigeons 8', make: () => pigeons(8) },
  { name: 'pigeons 9', make: () => pigeons(9) },
  { name: 'pigeons 10', make: () => pigeons(10) },
  { name: 'pigeons 12', make: () => pigeons(12) },
  { name: 'pigeons 20', make: () => pigeons(20) },
];
