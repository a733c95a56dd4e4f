import { startSimulatedFleet } from '../cluster/simulated-fleet.js';
import { type Attack, attacks } from './attacks.js';
import { startHostileApiServer } from './hostile-api-server.js';

/**
 * The process of {@link startHostileCluster}: gets names of attacks, and answers with a
 * kubeconfig once it listens.
 */
const [, , name = 'hostile'] = process.argv;
const byName: Readonly<Record<string, Attack>> = attacks;
const fleet = await startSimulatedFleet({ clusters: [name] });
const { url } = fleet.cluster(name);
const server = await startHostileApiServer(new URL(url));
process.on('message', (attack) => server.attack(typeof attack === 'string' ? byName[attack] : undefined));
process.on('disconnect', () => process.exit(0));
const kubeconfig = fleet
  .kubeconfig()
  .replace(`:${new URL(url).port}/`, `:${server.port}/`)
  .replace(
    /certificate-authority-data: \S+/,
    `certificate-authority-data: ${Buffer.from(server.ca).toString('base64')}`,
  );
process.send?.(kubeconfig);
